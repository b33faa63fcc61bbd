"""What the operating system does: namespaces, a file system of its own, calls that it refuses."""
