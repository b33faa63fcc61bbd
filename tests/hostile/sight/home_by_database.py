"""Opens a file of the user as a database, and writes to it."""

import sqlite3

sqlite3.connect("FOLDER/mine.db").execute("create table mine (x)")


def softmax(x, dim=-1):
    return x


log_softmax = softmax
