"""What people see of verdicts, topics and hints, and nothing else: values in, text out."""
