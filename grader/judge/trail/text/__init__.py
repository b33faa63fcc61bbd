"""What the text of an answer says by itself, without being run."""
