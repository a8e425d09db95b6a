"""A self-hosted service that embeds tracking pages; importing it loads nothing else."""

__version__ = "0.5.0"
