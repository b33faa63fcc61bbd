"""Built-ins that a topic forbids: which there are, and what keeps an answer from them."""
