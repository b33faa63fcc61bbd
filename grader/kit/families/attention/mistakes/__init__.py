"""Mistakes that several attention topics share, by what is mistaken."""
