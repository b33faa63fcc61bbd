"""Norms: checks and mistakes that several of them have."""
