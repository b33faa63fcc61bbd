"""The judge: a file in, a `Verdict` out. It never loads the code that it judges."""
