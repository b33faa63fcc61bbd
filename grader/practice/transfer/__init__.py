"""Progress as a file that travels: its format, writing it, and merging it in."""
