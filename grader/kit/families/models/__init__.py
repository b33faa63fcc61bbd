"""What the checks of whole layers and models share."""
