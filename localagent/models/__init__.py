"""Backends, one file each, and the catalogue that makes them from models.toml. Nothing heavy is imported here."""
