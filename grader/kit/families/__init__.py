"""What the checks of several topics share, family by family."""
