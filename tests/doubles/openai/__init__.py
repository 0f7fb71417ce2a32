"""A scripted OpenAI-compatible server: it answers a chat request with the next turn of a script."""
