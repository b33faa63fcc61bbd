"""Sets of known mistakes: where each shows, what several explain together, and how they are found."""
