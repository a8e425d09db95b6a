"""A page as a file of JSON lines, which another installation can take over (docs/backups.md)."""
