"""Faults under load, against real servers."""
