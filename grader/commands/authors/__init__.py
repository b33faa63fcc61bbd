"""Commands for authors of topics."""
