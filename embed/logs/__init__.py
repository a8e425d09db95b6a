"""The form of a line of the log, and what no line may show."""
