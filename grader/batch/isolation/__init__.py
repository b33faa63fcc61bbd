"""One more wall, around the judge itself: for answers of people whom nobody knows."""
