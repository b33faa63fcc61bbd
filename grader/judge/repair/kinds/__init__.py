"""The kinds of changes that are tried, a module for each."""
