"""What verdicts are worth in points."""
