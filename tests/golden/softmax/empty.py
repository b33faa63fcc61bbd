# Tomorrow.
