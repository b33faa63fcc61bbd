"""`doctor` says what stands and what is missing, without torch."""

import json

from driving import PROJECT, byheart

from grader.judge.doctor import instead, needs
from grader.show.pages.doctor import examination_text
from grader.worker.walls.wall import Wall


def test_json():
    done = byheart(PROJECT, "doctor", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert {wall["name"] for wall in found["walls"]} == {str(wall.name).lower() for wall in Wall}
    assert found["workspace"]["path"] == str(PROJECT / "exercises")
    assert found["workspace"]["bytes"] > 0


def text_of(*walls: dict[str, object]) -> str:
    """What is shown where these walls are all that there are, each with what differs from a missing one."""
    wall = {"stands": False, "does": "something", "needs": "a newer kernel", "instead": None}
    folder = {"path": "/somewhere", "bytes": 0}
    found = {
        "walls": [{**wall, **each} for each in walls],
        "python": {"version": "3.12", "path": "python"},
        **{"platform": "Linux", "torch": None, "numpy": "2.0"},
        **{"workspace": folder, "progress": folder, "pages": folder, "cache": folder},
    }
    return examination_text(found).plain


def test_what_is_missing_is_told_once_with_its_cure():
    text = text_of({"name": "files"}, {"name": "network"})
    assert "files     MISSING" in text
    assert text.count("needs a newer kernel") == 1
    assert "torch     is not installed" in text
    assert "grade nobody" in text


def test_where_another_wall_does_the_same_none_is_missing():
    text = text_of({"name": "family", "stands": True}, {"name": "group", "instead": "family"})
    assert "group     none" in text
    assert "needs a newer kernel" in text
    assert "MISSING" not in text and "grade nobody" not in text


def test_only_the_watch_stands_in_for_the_group():
    assert instead(Wall.GROUP, Wall.FAMILY) == "family"
    assert instead(Wall.GROUP, Wall.CALLS) is None
    assert instead(Wall.GROUP, Wall.FAMILY | Wall.GROUP) is None
    assert instead(Wall.FAMILY, Wall.GROUP) is None


def test_where_namespaces_stand_a_covered_proc_is_what_files_and_family_lack():
    spaces = Wall.PROCESSES | Wall.NETWORK | Wall.PATHS | Wall.CALLS
    assert "unmask=ALL" in needs(Wall.FILES, spaces)
    assert "max_user_namespaces" not in needs(Wall.FILES, spaces)
    assert needs(Wall.FAMILY, spaces) == needs(Wall.FILES, spaces)
    assert "max_user_namespaces" in needs(Wall.FILES, Wall.PATHS | Wall.CALLS)
    assert "CONFIG_PROC_CHILDREN" in needs(Wall.FAMILY, spaces | Wall.FILES)
    assert "CONFIG_PROC_CHILDREN" in needs(Wall.FAMILY, Wall.PATHS | Wall.CALLS)
