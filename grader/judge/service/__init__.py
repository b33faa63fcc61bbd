"""A judge in a process of its own, for programs that do not load torch."""
