"""A chain for tests: a ledger of tokens, and RPC servers that fail on request."""
