"""What a call makes, noted while it runs: tensors with the lines that made them, and the names they get."""

RESULT = "result"
"""The name of what the function that was called returns."""
