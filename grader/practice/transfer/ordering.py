"""Rows that come from elsewhere in their place among those that are there, in order of time.

Later rows are taken for later events: the last review of a card is its place in the schedule.
"""

import sqlite3
from collections.abc import Mapping

_TIMES = {"attempts": "started", "reviews": "at"}
"""The tables in which it matters, and the column that tells the time."""

_MERGE = """
    INSERT INTO places
    SELECT id, row_number() OVER (ORDER BY moment, id > :last, id)
    FROM (SELECT id, max({time}) OVER (PARTITION BY id > :last ORDER BY id) AS moment FROM {table})
"""
"""New places of old and new rows: by time, but without changing the order within the old or the new ones."""


def last_rows(connection: sqlite3.Connection) -> dict[str, int]:
    """The id of the last row of each table in which the order matters; 0 if it has none."""
    return {
        table: int(connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()[0])
        for table in _TIMES
    }


def tables_put_in_order(connection: sqlite3.Connection, last: Mapping[str, int]) -> list[str]:
    """Sort what was added after the `last_rows` in, and give the tables whose rows got other ids."""
    return [table for table in _TIMES if _put_in_order(connection, table, last[table])]


def _put_in_order(connection: sqlite3.Connection, table: str, last: int) -> bool:
    """Sort the rows after the `last` old one in among the old ones, if any belongs there."""
    time = _TIMES[table]
    query = f"SELECT min({time}) FILTER (WHERE id > ?) < max({time}) FILTER (WHERE id <= ?) FROM {table}"
    (mixed,) = connection.execute(query, (last, last)).fetchone()
    if not mixed:
        return False
    connection.execute("CREATE TEMP TABLE places (id INTEGER PRIMARY KEY, place INTEGER NOT NULL)")
    connection.execute(_MERGE.format(table=table, time=time), {"last": last})
    connection.execute(f"UPDATE {table} SET id = -(SELECT place FROM places WHERE places.id = {table}.id)")
    connection.execute(f"UPDATE {table} SET id = -id")
    connection.execute("DROP TABLE places")
    return True
