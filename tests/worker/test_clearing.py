"""Whatever a worker leaves in its folder is removed, and nothing else."""

import os

from grader.worker.process.clearing import remove


def test_folders_within_folders_are_removed(tmp_path):
    top = tmp_path / "worker"
    top.mkdir()
    before = os.getcwd()
    os.chdir(top)
    try:
        for number in range(1200):
            with open(f"file{number}", "w") as file:
                file.write("x")
            os.mkdir("deeper")
            os.chdir("deeper")
        os.chmod(".", 0)
    finally:
        os.chdir(before)
    remove(str(top))
    assert not top.exists()


def test_links_are_not_followed(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "kept").write_text("kept")
    top = tmp_path / "worker"
    (top / "inner").mkdir(parents=True)
    (top / "inner" / "link").symlink_to(tmp_path / "mine")
    (top / "link").symlink_to(tmp_path / "mine")
    remove(str(top))
    assert not top.exists()
    assert (tmp_path / "mine" / "kept").read_text() == "kept"
