"""What the checks of topics that draw tokens share."""
