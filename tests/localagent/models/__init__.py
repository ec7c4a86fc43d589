"""Tests of localagent.models."""
