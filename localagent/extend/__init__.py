"""What a person or a folder adds to the agent without code: skills, AGENTS.md, remembered facts."""
