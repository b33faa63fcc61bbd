"""The terminal itself: colours, widths, a screen that changes, a picture of it."""
