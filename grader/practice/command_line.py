"""A command as this learner types it, for the sentences that say what to do next."""

import sys
from pathlib import Path


def typed(command: str, args: str = "", **options: object) -> str:
    """Such as `make check topic=gqa`, which works in the project's folder; or `byheart check gqa` where
    byheart was called by its name, from whatever folder. `args` are options that both take as they are.
    """
    if Path(sys.argv[0]).name == "byheart":
        words = ["byheart", command, *map(str, options.values()), args]
    else:
        words = ["make", command, *(f"{name}={value}" for name, value in options.items())]
        words += [f"args={args}"] if args else []
    return " ".join(filter(None, words))
