"""How far an answer's values are right: where they leave the solution's path."""
