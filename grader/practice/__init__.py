"""What a learner does over time: exercises, and what is kept of them. Knows nothing of torch."""
