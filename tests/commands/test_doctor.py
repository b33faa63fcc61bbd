"""`doctor` says what stands and what is missing, without torch."""

import json

from driving import PROJECT, byheart

from grader.judge.examination import needs
from grader.show.pages.examination import examination_text
from grader.worker.walls.standing import Wall


def test_json():
    done = byheart(PROJECT, "doctor", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert {wall["name"] for wall in found["walls"]} == {str(wall.name).lower() for wall in Wall}
    assert found["workspace"]["path"] == str(PROJECT / "exercises")
    assert found["workspace"]["bytes"] > 0


def test_what_is_missing_is_told_once_with_its_cure():
    wall = {"stands": False, "does": "something", "needs": "a newer kernel"}
    folder = {"path": "/somewhere", "bytes": 0}
    found = {
        "walls": [{**wall, "name": "files"}, {**wall, "name": "network"}],
        "python": {"version": "3.12", "path": "python"},
        **{"platform": "Linux", "torch": None, "numpy": "2.0"},
        **{"workspace": folder, "progress": folder, "pages": folder, "cache": folder},
    }
    text = examination_text(found).plain
    assert "files     MISSING" in text
    assert text.count("needs a newer kernel") == 1
    assert "torch     is not installed" in text


def test_where_namespaces_stand_a_covered_proc_is_what_files_and_family_lack():
    spaces = Wall.PROCESSES | Wall.NETWORK | Wall.PATHS | Wall.CALLS
    assert "unmask=ALL" in needs(Wall.FILES, spaces)
    assert "max_user_namespaces" not in needs(Wall.FILES, spaces)
    assert needs(Wall.FAMILY, spaces) == needs(Wall.FILES, spaces)
    assert "max_user_namespaces" in needs(Wall.FILES, Wall.PATHS | Wall.CALLS)
    assert "CONFIG_PROC_CHILDREN" in needs(Wall.FAMILY, spaces | Wall.FILES)
    assert "CONFIG_PROC_CHILDREN" in needs(Wall.FAMILY, Wall.PATHS | Wall.CALLS)
