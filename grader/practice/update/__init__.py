"""Bringing a newer version of the curriculum without touching an answer."""
