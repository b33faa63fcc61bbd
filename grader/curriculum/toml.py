"""TOML, by the compiled parser where there is one: every command reads the whole catalog, for which tomllib,
the same parser in Python, takes three times as long.
"""

try:
    from tomli import loads
except ImportError:  # the standard library alone is enough
    from tomllib import loads

__all__ = ["loads"]
