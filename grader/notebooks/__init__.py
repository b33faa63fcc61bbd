"""The notebooks that explain the topics: their rules, and running them."""
