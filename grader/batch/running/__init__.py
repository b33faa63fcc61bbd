"""Grading what was found: judges at work, side by side."""
