"""What a person configures: models.toml, settings, where files lie, and the words that models are told."""
