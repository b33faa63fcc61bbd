"""Grading on many machines with Dask's `distributed`, the extra `cluster`."""
