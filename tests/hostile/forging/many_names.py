"""Defines no softmax, and thousands of other names."""

NAMES = 1
