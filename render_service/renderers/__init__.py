"""Model families whose chats vLLM renders without a Jinja template, each in its own file."""
