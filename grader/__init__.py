"""Practise transformer components from memory, graded on your own machine."""
