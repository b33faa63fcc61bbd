"""The house: small rooms, small modules, imports that run one way."""

import ast
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path

import pytest
from driving import PROJECT

GRADER = PROJECT / "grader"
MOST_LINES, MOST_MODULES = 300, 12
SUBMISSIONS = {"answers", "golden", "harmless", "hostile", "unusual"}
"""Folders of tests that hold what people hand in."""
STOREYS = (
    "worker",
    "curriculum",
    "kit",
    "topics",
    "judge",
    "practice",
    "show",
    "batch",
    "notebooks",
    "authoring",
    "web",
    "commands",
    "cli",
    "__main__",
)
"""The rooms of `grader`, each of which imports only from those above it in this list, and from itself."""


def modules(folder: Path = GRADER) -> list[Path]:
    return [path for path in sorted(folder.rglob("*.py")) if "__pycache__" not in path.parts]


def name_of(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path, names: set[str]) -> Iterator[str]:
    """The modules among `names` that a file imports, wherever the import stands; not what only types need."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if whole in names or node.module in names:
                    yield whole if whole in names else node.module


def import_graph(root: Path) -> dict[str, set[str]]:
    files = {name_of(path, root): path for path in modules(root / "grader")}
    return {name: set(imports(path, set(files))) - {name} for name, path in files.items()}


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a ring, the first once more at the end; empty if there are none."""
    done: set[str] = set()

    def walk(name: str, trail: list[str]) -> list[str]:
        if name in trail:
            return [*trail[trail.index(name) :], name]
        if name in done:
            return []
        for other in sorted(graph[name]):
            if found := walk(other, [*trail, name]):
                return found
        done.add(name)
        return []

    return next((found for name in graph if (found := walk(name, []))), [])


def side_by_side(graph: dict[str, set[str]]) -> list[str]:
    """Rooms in one room that import from each other."""
    found: set[tuple[str, str]] = set()
    for name, others in graph.items():
        for other in others:
            own, theirs = name.split("."), other.split(".")
            pairs = zip(own, theirs, strict=False)
            shared = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
            if shared < min(len(own), len(theirs)) - 1:
                found.add((".".join(own[: shared + 1]), ".".join(theirs[: shared + 1])))
    return [f"{one} and {other}" for one, other in sorted(found) if one < other and (other, one) in found]


def upward(graph: dict[str, set[str]]) -> list[str]:
    """Imports of a room from one that stands below it in the list."""
    storeys = {room: number for number, room in enumerate(STOREYS)}

    def room(name: str) -> str:
        return name.split(".")[1]

    return [
        f"{name} imports {other}"
        for name, others in graph.items()
        for other in others
        if "." in name and "." in other and storeys[room(other)] > storeys[room(name)]
    ]


@cache
def today() -> dict[str, set[str]]:
    return import_graph(PROJECT)


def test_no_module_is_long() -> None:
    tests = [path for path in modules(PROJECT / "tests") if not SUBMISSIONS & set(path.parts)]
    long = {name_of(path, PROJECT): len(path.read_text("utf-8").splitlines()) for path in modules() + tests}
    assert {name: lines for name, lines in long.items() if lines > MOST_LINES} == {}


def test_no_room_is_crowded() -> None:
    rooms: dict[str, int] = {}
    for path in modules():
        if path.name != "__init__.py":
            room = path.parent.relative_to(PROJECT).as_posix()
            rooms[room] = rooms.get(room, 0) + 1
    assert {room: count for room, count in rooms.items() if count > MOST_MODULES} == {}


def test_every_room_says_what_it_is_for() -> None:
    faces = [path for path in modules() if path.name == "__init__.py"]
    assert [str(path) for path in faces if not ast.get_docstring(ast.parse(path.read_text("utf-8")))] == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle(today()) == []


def test_imports_run_one_way() -> None:
    assert {name.split(".")[1] for name in today() if "." in name} == set(STOREYS)
    assert upward(today()) == []
    assert side_by_side(today()) == []


def test_only_the_pack_knows_where_the_program_stands() -> None:
    """Everything else is found through the pack or the workspace."""
    known = [name_of(path, PROJECT) for path in modules() if "Path(__file__)" in path.read_text("utf-8")]
    assert known == ["grader.curriculum.pack"]


def test_source_is_read_in_one_place() -> None:
    """So that threads do not meet there; in a worker there are none."""
    outside = [path for path in modules() if path.relative_to(GRADER).parts[0] != "worker"]
    found = [name_of(path, PROJECT) for path in outside if "ast.parse(" in path.read_text("utf-8")]
    assert found == ["grader.curriculum.parsing"]


@pytest.mark.parametrize(
    ("room", "text", "finds"),
    [
        ("worker", "from grader.judge.a import x", upward),
        ("worker", "def f():\n    import grader.judge.a", upward),
        ("kit", "from grader.kit import b", circle),
    ],
)
def test_these_tests_can_fail(tmp_path: Path, room: str, text: str, finds) -> None:
    for name, content in ((f"{room}/a", text), ("kit/b", "from grader.kit import a"), ("judge/a", "")):
        path = tmp_path / "grader" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    (tmp_path / "grader" / "kit" / "a.py").touch()
    assert finds(import_graph(tmp_path))


def test_rooms_that_import_from_each_other_are_seen() -> None:
    one_way = {"grader.kit.one.a": {"grader.kit.two.b"}, "grader.kit.two.c": {"grader.kit.top"}}
    assert side_by_side(one_way) == []
    both_ways = {**one_way, "grader.kit.two.c": {"grader.kit.one.deep.d"}}
    assert side_by_side(both_ways) == ["grader.kit.one and grader.kit.two"]
