"""What the checks of attention topics share."""
