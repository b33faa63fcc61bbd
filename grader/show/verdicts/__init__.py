"""A verdict as text."""
