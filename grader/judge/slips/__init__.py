"""Mistakes that nobody has to list: slips of the hand, made from a solution."""
