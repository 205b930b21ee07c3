"""The HTTP service: chat requests to token IDs and token IDs back to OpenAI answers."""

__version__ = "0.1.0"
