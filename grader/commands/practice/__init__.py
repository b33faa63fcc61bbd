"""Commands to work with: checking, watching, drills, interviews, flash cards."""
