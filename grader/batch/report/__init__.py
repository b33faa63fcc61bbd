"""What came of a batch as pages: one for the teacher, one for each student."""
