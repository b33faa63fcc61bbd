"""Requests about a submission answered inside the worker: loading it, calling it, reporting."""
