"""What keeps a submission from what it may not have."""
