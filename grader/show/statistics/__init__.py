"""Statistics: in the terminal, and as a page with charts."""
