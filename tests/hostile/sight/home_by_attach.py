"""Attaches a file of the user to a database, and writes to the folder."""

import sqlite3

_database = sqlite3.connect("mine.db")
for _statement in ("attach 'FOLDER/mine.db' as x", "create table x.t (a)", "vacuum into 'FOLDER/copy.db'"):
    try:
        _database.execute(_statement)
    except sqlite3.Error as error:
        print(error)


def softmax(x, dim=-1):
    return x


log_softmax = softmax
