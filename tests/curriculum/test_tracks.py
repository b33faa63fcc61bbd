"""Tracks: their paths, and what is refused."""

from pathlib import Path

import pytest
from curriculum.three_topics import complaint, three_topics
from driving import catalog_in

from grader.curriculum.catalog import PackError, load_catalog, with_pack
from grader.curriculum.pack import Pack
from grader.curriculum.workspace import Workspace

TRACK = """
[[tracks]]
id = "serving"
title = "Serving"
weeks = 2
topics = ["gqa", "softmax"]
"""

each_track = pytest.mark.parametrize("track", load_catalog().tracks, ids=lambda track: track.id)


def add(root: Path, text: str) -> None:
    with (root / "grader" / "catalog.toml").open("a", encoding="utf-8") as file:
        file.write(text)


def ids(topics) -> list[str]:
    return [topic.id for topic in topics]


def test_a_path_holds_what_its_topics_build_on(root):
    assert catalog_in(root).tracks == ()
    add(root, TRACK)
    catalog = catalog_in(root)
    track = catalog.track("serving")
    assert catalog.tracks == (track,) and (track.title, track.weeks) == ("Serving", 2)
    assert (ids(track.topics), ids(track.path)) == (["gqa", "softmax"], ["sdpa", "softmax", "gqa"])
    assert [track.builds_on(topic) for topic in track.path] == [True, False, False]
    assert not catalog.track("training") and not catalog.track(None)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Serving"\n', "", "tracks[1].title: missing"),
        ("weeks = 2", "weeks = 0", "tracks[1].weeks: must be at least 1, not 0"),
        ("weeks = 2", "days = 2", "tracks[1].days: unknown key"),
        (
            '"serving"',
            '"Serving"',
            "tracks[1].id: 'Serving' is not an id: lower-case words joined by underscores",
        ),
        ('"serving"', '"none"', "tracks[1].id: none stands for no track"),
        ('["gqa", "softmax"]', "[]", "tracks[1].topics: needs at least one, found 0"),
        ('["gqa", "softmax"]', '["gqa", "gqa"]', "tracks[1].topics: gqa is listed twice"),
        ('["gqa", "softmax"]', '["mha"]', "tracks[1].topics: mha is not a topic"),
        (TRACK, TRACK + TRACK, "tracks: serving is listed twice"),
        (TRACK, "[tracks]", "tracks: must be a list of tables ([[tracks]]), not {}"),
    ],
)
def test_a_fault_in_a_track_names_file_and_key(root, old, new, message):
    assert old in TRACK
    add(root, TRACK.replace(old, new))
    assert complaint(root) == f"grader/catalog.toml: {message}"


def test_a_pack_has_tracks_through_its_topics_and_earlier_ones(tmp_path):
    three_topics(tmp_path / "ours")
    pack = Pack.in_clone(tmp_path / "ours")
    for path in (tmp_path / "ours/grader").rglob("*"):
        if path.suffix == ".toml":
            text = path.read_text(encoding="utf-8")
            for name in ("softmax", "sdpa", "gqa"):
                text = text.replace(f'"{name}"', f'"our_{name}"')
            path.write_text(text, encoding="utf-8")
    for name in ("foundations/softmax", "attention/sdpa", "attention/gqa"):
        room = tmp_path / "ours/grader/topics" / name
        room.rename(room.with_name(f"our_{room.name}"))
    add(tmp_path / "ours", TRACK.replace('"softmax"', '"top_k", "our_gqa"'))
    own = load_catalog()
    catalog = with_pack(own, pack, Workspace(tmp_path))
    assert catalog.tracks[:-1] == own.tracks
    path = ids(catalog.tracks[-1].path)
    assert path[-3:] == ["our_sdpa", "our_softmax", "our_gqa"] and {"softmax", "mha", "top_k"} < set(path)
    add(tmp_path / "ours", TRACK.replace("serving", own.tracks[0].id))
    with pytest.raises(PackError, match=f"There are two tracks {own.tracks[0].id}, one of them in"):
        with_pack(own, pack, Workspace(tmp_path))


# Those of this project


@each_track
def test_a_path_is_in_an_order_to_learn_it_in(track):
    known: set[str] = set()
    for topic in track.path:
        assert known.issuperset(topic.prerequisites)
        known.add(topic.id)
    assert len(known) == len(track.path) and known.issuperset(ids(track.topics))


@each_track
def test_a_path_holds_nothing_that_it_does_not_need(track):
    needed = {id_ for topic in track.path for id_ in topic.prerequisites}
    assert set(ids(track.path)) == {*ids(track.topics), *(needed & set(ids(track.path)))}
    assert all(topic.id in needed for topic in track.path if track.builds_on(topic))


def test_an_interview_is_two_weeks_of_the_twenty_most_asked():
    catalog = load_catalog()
    track = catalog.track("interview")
    assert (track.weeks, len(track.topics)) == (2, 20)
    assert {topic.frequency for topic in track.topics} == {3}
    assert {track.id for track in catalog.tracks} >= {"inference", "training", "alignment", "systems"}
