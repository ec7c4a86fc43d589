"""Text into vectors: a shipped sentence encoder, a GGUF, Ollama, or a server that speaks OpenAI's protocol."""
