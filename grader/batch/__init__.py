"""Many submissions at once: found, graded by several judges, kept, scored and shown."""
