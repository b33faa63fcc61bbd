"""How the checks of a topic are called: read, not run, so that no torch is loaded for it."""

import ast
from pathlib import Path

from grader.curriculum.parsing import parsed


def check_names(path: Path) -> tuple[str, ...]:
    """The names of a file of checks that are checks, written there or come from elsewhere."""
    names: dict[str, None] = {}
    for node in parsed(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef(name=name):
                names[name] = None
            case ast.ImportFrom(names=imported):
                names |= dict.fromkeys(each.asname or each.name for each in imported)
            case ast.Assign(targets=targets):
                names |= dict.fromkeys(each.id for each in targets if isinstance(each, ast.Name))
    return tuple(name for name in names if name.startswith("test_"))
