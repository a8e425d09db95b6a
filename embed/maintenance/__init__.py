"""Operators' rare tasks, for the whole installation or a whole page."""
