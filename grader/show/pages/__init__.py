"""The pages of the commands: lists, hints, drills, interviews, flash cards."""
