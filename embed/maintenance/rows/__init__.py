"""All rows of a database, read and written at once, on SQLite and on Postgres alike."""
