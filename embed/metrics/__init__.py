"""Counters and histograms of what the service does, added up across processes."""
