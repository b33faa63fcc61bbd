"""Checks of `bpe`: training, encoding and decoding against loops over lists of ids."""

import time
from collections import Counter
from itertools import combinations, pairwise

import pytest

from grader.kit import assert_equal, assert_true
from grader.kit.rounds import is_second_round
from grader.kit.rules.turns import Player, assert_by_turns, assert_lists_are_read_anew

SEVERAL = "Ça coûte 5 € à Łódź — 日本日本 🙂🙂🙃"
UNCHANGED = "\ufeffAaBb e\u0301 \ufb01 "  # what lower(), normalize() and utf-8-sig would change
LADDER = [(1, 2), (1, 4), (2, 5), (2, 7), (3, 9)]


def smallest(submission, rng, letters, length):
    """short texts give what counting by hand gives"""
    text = drawn(rng, letters, length)
    assert_equal(submission.train_bpe(text, 3), trained(text, 3))
    assert_equal(submission.encode(text, [(97, 97), (97, 98)]), encoded(text, [(97, 97), (97, 98)]))


def drawn(rng, letters, length):
    """A text of the first letters of the alphabet."""
    return "".join(chr(97 + letter) for letter in rng.integers(0, letters, length).tolist())


def joined(ids, pair, new_id, most=10**9):
    """The ids with the pair replaced, as often as it is found from the left, but at most so often."""
    ids, place = list(ids), 0
    while place < len(ids) - 1:
        if most > 0 and tuple(ids[place : place + 2]) == pair:
            ids[place : place + 2] = [new_id]
            most -= 1
        place += 1
    return ids


def trained(text, num_merges):
    """The oracle of train_bpe: for every place, how often its pair stands anywhere."""
    ids, merges = list(text.encode()), []
    while len(merges) < num_merges:
        pairs = list(pairwise(ids))
        often = Counter(pairs)
        most = max(often.values(), default=0)
        if most < 2:
            break
        merges.append(next(pair for pair in pairs if often[pair] == most))
        ids = joined(ids, merges[-1], 255 + len(merges))
    return merges


def encoded(text, merges):
    """The oracle of encode: one place at a time, of the pair with the lowest rank in the present sequence."""
    ids, ranks = list(text.encode()), {pair: rank for rank, pair in enumerate(merges)}
    while there := [ranks[pair] for pair in pairwise(ids) if pair in ranks]:
        ids = joined(ids, merges[min(there)], 256 + min(there), most=1)
    return ids


def spelled(each, merges):
    """The bytes of one id."""
    return bytes([each]) if each < 256 else b"".join(spelled(part, merges) for part in merges[each - 256])


def decoded(ids, merges):
    return b"".join(spelled(each, merges) for each in ids).decode(errors="replace")


@pytest.mark.parametrize(
    "text, num_merges",
    [("low lower lowest low", 6), ("she sells sea shells by the sea shore", 12), (UNCHANGED * 3, 9)],
)
def test_train(submission, text, num_merges):
    """training merges the most frequent pair of the present sequence, round after round"""
    assert_equal(submission.train_bpe(text, num_merges), trained(text, num_merges))


@pytest.mark.parametrize("letters, length", [(2, 60), (4, 91)])
def test_train_on_random_texts(submission, rng, letters, length):
    """random texts of few letters are learned as by hand, with many equally frequent pairs"""
    text = drawn(rng, letters, length)
    assert_equal(submission.train_bpe(text, 20), trained(text, 20))


@pytest.mark.parametrize("text", ["abab-cdcd", "cdcd-abab", "xyabcdabcdxy", "dcbadcba", "aczbaczb"])
def test_ties(submission, text):
    """of equally frequent pairs the one that comes first in the sequence is merged"""
    assert_equal(submission.train_bpe(text, 5), trained(text, 5))


def test_ties_in_the_present_sequence(submission):
    """what comes first is seen in the sequence as it is after the merges before, not in the text"""
    assert_equal(submission.train_bpe(text := "xabyabzabqyzyzabyab", 4), trained(text, 4))


@pytest.mark.parametrize("text", ["aaa-bb-bb", "cc-aaaa-cc-cc", "aaaaa"])
def test_overlapping_pairs_count(submission, text):
    """overlapping pairs are counted too: aaa has (a, a) twice"""
    assert_equal(submission.train_bpe(text, 2), trained(text, 2))


@pytest.mark.parametrize("text", ["", "a", "abcdefg", "aaa", "abcabc"])
def test_training_ends_early(submission, text):
    """training ends, with fewer merges, when no pair occurs twice: also on an empty text"""
    assert_equal(submission.train_bpe(text, 50), trained(text, 50))


@pytest.mark.parametrize("num_merges", [0, 2])
def test_number_of_merges(submission, num_merges):
    """there are no more merges than num_merges, which may be 0"""
    assert_equal(submission.train_bpe(text := "abcabcabdabd", num_merges), trained(text, num_merges))


def test_train_on_bytes(submission):
    """bytes are merged, not characters: a character of several bytes is several ids at first"""
    assert_equal(submission.train_bpe(SEVERAL, 15), trained(SEVERAL, 15))


def test_one_sequence(submission):
    """the text is one sequence: pairs with a space or a line's end count like any others"""
    assert_equal(submission.train_bpe(text := "a b a b a b\na b\na b\n", 8), trained(text, 8))


@pytest.mark.parametrize("between", [" ", "\n", "\0"])
def test_nothing_is_added(submission, between):
    """nothing is put in front of the text or behind it: no space, no line's end, no byte 0"""
    assert_equal(submission.train_bpe(text := between.join(["ab"] * 3), 5), trained(text, 5))


def kinds(answer, text):
    merges = answer.train_bpe(text, 5)
    return [isinstance(pair, tuple) and [type(part) for part in pair] == [int, int] for pair in merges]


def test_merges_are_tuples(submission):
    """every merge is a tuple of two ints"""
    came = submission.run(kinds, "abcabcabcab")
    assert_true(all(came), f"of {len(came)} merges {sum(came)} are tuples of two ints", seen=came)


def test_more_than_512_ids(submission):
    """beyond 512 ids pairs are still told apart"""
    # A sequence in which no pair is there twice, three times: it grows from the left to the id 512.
    letters = "abcdefghijklmnopqrstuvwxyz"
    once = ("A" + "".join(one + two for one, two in combinations(letters, 2)))[:258].encode()
    merges = [(once[0], once[1]), *((254 + place, once[place]) for place in range(2, 258)), (512, 512)]
    begin = time.monotonic()
    assert_equal(submission.train_bpe(text := (once * 3).decode(), 60), merges[:60])
    if time.monotonic() - begin > 0.5:
        return  # right as well, but all merges would take such an answer half a minute
    came = submission.train_bpe(text, 300)
    alike, said = came == merges, f"got {came[-1:]}, expected {merges[-1]}"
    assert_true(alike, f"training on a text in which ids go up to 513, the last merge: {said}", seen=alike)


# Encoding

MERGES = [(98, 99), (97, 98), (257, 99), (97, 256), (97, 97), (100, 100), (261, 261)]
"""bc, ab, ab-c, a-bc, aa, dd, dd-dd: not what a training gives, but well-formed."""


@pytest.mark.parametrize("text", ["abc", "aabc", "abcabc", "cabb"])
def test_encode_by_rank(submission, text):
    """the merge that was learned first is applied first: not the longest token, not the first place"""
    assert_equal(submission.encode(text, MERGES), encoded(text, MERGES))


@pytest.mark.parametrize("text", ["aaaaa", "ddd", "ddddddd", "xaaay"])
def test_encode_from_left_to_right(submission, text):
    """a pair is replaced from left to right without overlap: aaa becomes aa, a"""
    assert_equal(submission.encode(text, MERGES), encoded(text, MERGES))


def test_encode_everywhere(submission, rng):
    """a merge is applied wherever its pair stands, at the ends too"""
    text = drawn(rng, 4, 120)
    assert_equal(submission.encode(text, MERGES), encoded(text, MERGES))
    merges = trained(text, 25)
    assert_equal(submission.encode(text, merges), encoded(text, merges))


def test_encode_other_texts(submission, rng):
    """texts that were not trained on are encoded by the same merges"""
    merges = trained("she sells sea shells by the sea shore", 20)
    for text in ("sshhee sea", "unseen ß", drawn(rng, 20, 40)):
        assert_equal(submission.encode(text, merges), encoded(text, merges))


def test_encode_bytes(submission):
    """characters of several bytes are encoded as their bytes of UTF-8, and merged like others"""
    for text in (SEVERAL, UNCHANGED):
        assert_equal(submission.encode(text, []), list(text.encode()))
    merges = trained(SEVERAL, 15)
    assert_equal(submission.encode("日本 🙂 é", merges), encoded("日本 🙂 é", merges))


@pytest.mark.parametrize("text, merges", [("", [(97, 98)]), ("ab\r\n", []), ("a", [(97, 97)])])
def test_encode_nothing(submission, text, merges):
    """an empty text and no merges are right"""
    assert_equal(submission.encode(text, merges), encoded(text, merges))


@pytest.mark.parametrize("many", [512, 1000, 1024])
def test_encode_with_many_merges(submission, many):
    """with more than a thousand merges pairs are still told apart"""
    pairs = [(left, right) for left in range(65, 97) for right in range(65, 97)]
    merges = [*pairs, (98, 99), (97, many + 99)]
    text = "bca" + "".join(map(chr, pairs[many + 99 - 256]))
    came, expected = submission.encode(text, merges), [1280, 1281]
    assert_true(came == expected, f"encode: got {came}, expected {expected}", seen=came == expected)
    if is_second_round():  # ids that no number of 16 bits holds; nobody's slip
        first = 256 + (merges := beyond_16_bits()).index((97, 66_536))
        assert_equal(submission.encode("aABbCD", merges), [first, first + 1])


def beyond_16_bits():
    """Merges of which two others too could be taken for a and AB, or b and CD, as a number in a base."""
    merges = [(128 + n // 521, n % 521) for n in range(128 * 521)]
    merges[66_536 - 256], merges[66_439 - 256] = (65, 66), (67, 68)
    bases = [*(2**n for n in range(11, 17)), 10_000, 50_000, 50_257]
    before, after = ([(left + n // b, n % b) for b in bases] for left, n in ((97, 66_536), (98, 66_439)))
    return list(dict.fromkeys([*merges, *before, (97, 66_536), (98, 66_439), *after]))


OTHERS = [(65 + letter, 65 + letter) for letter in range(41)]  # AA, BB, CC and so on


def decode_after_others(submission, ids, merges):
    """What decode gives after a call with OTHERS: what stays of a call comes from them."""
    submission.decode(list(range(256, 296)), OTHERS)
    return submission.decode(ids, merges)


@pytest.mark.parametrize("text", ["", " a\r\nb\tc\n", SEVERAL, UNCHANGED])
def test_decode_gives_the_text(submission, text):
    """decoding what was encoded gives the text"""
    merges = trained(SEVERAL + "she sells sea shells by the sea shore", 20)
    assert_equal(decode_after_others(submission, encoded(text, merges), merges), text)


def test_decode_joins_bytes_first(submission):
    """tokens that are parts of a character give the character together"""
    merges = [(0xF0, 0x9F), (256, 0x99), (0x82, 0xC3), (0xA9, 0x20)]
    assert_equal(decode_after_others(submission, [257, 258, 259, 0x61], merges), "🙂é a")


@pytest.mark.parametrize("ids", [[0xFF], [0x61, 0x80, 0x62], [0xE2, 0x82], [256, 256, 0xAC, 0xC0, 0xAF]])
def test_decode_replaces_what_is_invalid(submission, ids):
    """bytes that are no UTF-8 become U+FFFD"""
    assert_equal(decode_after_others(submission, ids, [(0xE2, 0x82)]), decoded(ids, [(0xE2, 0x82)]))


def test_decode_ids_that_are_merged_of_merged(submission):
    """ids of merges of merges, and all single bytes, give their bytes"""
    ids = [262, 258, 259, 97, 256, 261]
    assert_equal(decode_after_others(submission, ids, MERGES), decoded(ids, MERGES))
    assert_equal(decode_after_others(submission, list(range(256)), []), decoded(range(256), []))


# All of it


def afterwards(answer, text, merges, ids):
    answer.encode(text, merges)
    answer.decode(ids, merges)
    return merges, ids


def test_arguments_are_not_modified(submission):
    """encode and decode leave merges and ids as they are"""
    ids = [262, 97, 256]
    assert_equal(submission.run(afterwards, "aabcdd", MERGES, ids), (MERGES, ids))


def test_calls_are_independent(submission):
    """a call does not depend on the texts and merges of the calls before it"""
    one, other = trained("abcabcabcabc", 3), trained("cbacbacbacba", 3)
    training = [("abababcc", 3), ("ccbababa", 3)]
    encoding = [("abcbacab", one), ("abcbacab", other), ("cba", one), ("cba", other)]
    decoding = [([257, 256, 97], one), ([257, 256, 97], other)]
    assert_by_turns(Player(submission.train_bpe, trained, training))
    assert_by_turns(Player(submission.encode, encoded, encoding[2:]))
    decode_after_others(submission, *decoding[0])
    assert_lists_are_read_anew(submission.encode, *encoding[:2], encoded(*encoding[1]))
    assert_lists_are_read_anew(submission.decode, *decoding, decoded(*decoding[1]))


def test_a_longer_text(submission, rng):
    """a text of a few hundred letters is trained on, encoded and decoded"""
    text = " ".join(drawn(rng, 5, 4) for _ in range(60))
    merges = trained(text, 40)
    assert_equal(submission.train_bpe(text, 40), merges)
    ids = encoded(text, merges)
    assert_equal(submission.encode(text, merges), ids)
    assert_equal(decode_after_others(submission, ids, merges), text)
