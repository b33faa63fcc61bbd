"""What a check is called: the first paragraph of its docstring, in one line."""

from driving import CATALOG

from grader.judge.checks.reading import read_checks


def titles(topic: str) -> dict[str, str]:
    return {check.name: check.title for check in read_checks(CATALOG[topic]).checks}


def test_a_sentence_that_goes_on_in_another_line_is_whole():
    title = titles("top_p")["test_keeps_the_most_probable_tokens"]
    assert title.endswith("also of transposed logits; the others are -inf")


def test_what_is_said_to_authors_below_is_no_part_of_it():
    assert titles("mqa")["test_masks_where_sizes_are_equal"].endswith("are told by their places")
