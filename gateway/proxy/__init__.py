"""The masking proxy: the only part of the gateway that opens connections."""
