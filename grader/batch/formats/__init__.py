"""Results as others read them: pure functions from rows to texts."""
