"""Names of people: word lists, cues, fields and a recogniser model, in Latin script."""
