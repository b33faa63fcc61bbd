"""What is kept of a learner: attempts, sessions and reviews, in one database."""
