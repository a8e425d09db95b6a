"""The operator's commands, thin over the use cases."""
