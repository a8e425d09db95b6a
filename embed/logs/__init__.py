"""How the service logs: the form of a line, and what no line may contain."""
