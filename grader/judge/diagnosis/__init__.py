"""Which known mistake a wrong answer makes."""
