"""Answers that are the same but for names, comments, layout and order. It proves nothing."""
