"""The processes of workers: the one that they are forked from, and what each does until it ends."""
