"""What the checks of topics with a cache of keys and values share."""
