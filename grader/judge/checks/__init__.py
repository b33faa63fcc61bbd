"""A topic's checks: read from its file, and run against a submission."""
