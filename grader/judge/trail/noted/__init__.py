"""What was noted of a run: values with their numbers, names and lines, and what they were made from."""
