"""The format of log lines, and what they must not show."""
