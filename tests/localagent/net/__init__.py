"""Tests of localagent.net."""
