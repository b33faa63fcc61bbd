"""What is wrong with an answer: its trail, its mistake and the line, put together."""
