"""The learner's exercises: whether something is written in them, and how they are filled and emptied."""
