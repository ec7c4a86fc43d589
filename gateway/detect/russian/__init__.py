"""Russian: identifiers, phones, dates of birth, addresses and names, and the grammar to restore names in their case."""
