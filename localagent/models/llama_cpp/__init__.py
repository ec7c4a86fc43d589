"""The llama_cpp backend: a GGUF in a process of its own.

client.py is the Model in the app, worker.py the child process; they speak frames.py over pipes.
"""
