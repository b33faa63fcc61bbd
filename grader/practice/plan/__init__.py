"""What to do when: the schedule, where the learner stands, and what practice has come to."""
