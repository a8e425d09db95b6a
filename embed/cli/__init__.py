"""The operator's commands: thin wrappers of the use cases."""
