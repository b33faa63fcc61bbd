"""What small change of an answer makes all its checks pass."""
