"""Work against the clock: the drill and the mock interview."""
