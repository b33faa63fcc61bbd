"""What came of a batch: one line a verdict, and what is made of those lines."""
