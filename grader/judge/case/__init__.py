"""The smallest case in which an answer fails, as a script to run and to step through."""
