"""Detection: text in, entities with original offsets out."""
