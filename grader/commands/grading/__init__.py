"""Grading what others hand in: a class, a round of candidates, a platform's container."""
