"""Tests of localagent.config."""
