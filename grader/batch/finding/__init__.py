"""Whose answer to which topic a file is: told by its name and folder, never guessed."""
