"""A chain for tests: a ledger with the real token programs, and endpoints that fail on request."""
