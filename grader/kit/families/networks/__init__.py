"""Simulated networks: what the ranks of a topic learn of each other goes through the judge."""
