"""Exercises made from solutions: the stub, and the same with less or more left to recall."""
