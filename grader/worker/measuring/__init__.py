"""What calls of a submission cost: operations that are counted, memory that is bounded."""
