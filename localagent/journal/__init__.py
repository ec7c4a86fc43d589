"""The ledger read as sessions: what was said, how it ended, what it cost."""
