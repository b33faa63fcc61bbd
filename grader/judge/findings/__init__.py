"""What the judge has found, as sentences for the learner."""
