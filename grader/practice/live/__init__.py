"""What happens while somebody works: saves, keys, verdicts that come in, the editor."""
