"""Byte-pair encoding: tokens that grow from the bytes of a text, the most frequent pair of neighbours first.

Every text can be written, since every byte is a token, and what is frequent gets short. From "Neural Machine
Translation of Rare Words with Subword Units" (Sennrich et al., 2016), on bytes as in GPT-2. Forbidden:
tokenizer libraries; and there is no torch here.
"""

from collections import Counter
from itertools import pairwise


def train_bpe(text: str, num_merges: int) -> list[tuple[int, int]]:
    """The merges that are learned from a text: pairs of ids, at most num_merges of them, first learned first.

    Ids 0 to 255 are the bytes of UTF-8; merge i makes the id 256 + i of a pair of ids that are there already.
    The text is one sequence of bytes: no words, no special tokens, no end.

    Each round counts all neighbouring pairs of the present sequence, overlapping ones too ("aaa" has (a, a)
    twice), and takes the most frequent; of equally frequent ones the one that comes first in the present
    sequence. It is merged everywhere, from left to right without overlap ("aaa" becomes aa, a), and the next
    round counts anew. Training ends early, with fewer merges, when no pair occurs twice.

    The merges are tuples of two ints. num_merges is 0 or more; text may be empty, and is valid Unicode.
    """
    ids = list(text.encode("utf-8"))
    merges: list[tuple[int, int]] = []
    for new_id in range(256, 256 + num_merges):
        counts = Counter(pairwise(ids))
        # A dict keeps the order in which its keys came, and max takes the first of equals.
        pair = max(counts, key=counts.__getitem__, default=None)
        if pair is None or counts[pair] < 2:
            break
        merges.append(pair)
        ids = _merge(ids, pair, new_id)
    return merges


def encode(text: str, merges: list[tuple[int, int]]) -> list[int]:
    """The ids of any text, seen in training or not.

    Starts from the bytes and applies the merges by rank, the one learned first first: each wherever its pair
    stands in the present sequence, from left to right without overlap. Neither the longest token nor the
    first place in the text has priority.

    merges: those of a training, or others in which no pair is there twice and each has only ids that are made
    before it; perhaps none. Neither argument is modified.
    """
    ids = list(text.encode("utf-8"))
    for new_id, pair in enumerate(merges, start=256):
        ids = _merge(ids, pair, new_id)
    return ids


def decode(ids: list[int], merges: list[tuple[int, int]]) -> str:
    """The text of the ids: their bytes, joined, and then decoded.

    What is no valid UTF-8 becomes U+FFFD, as with errors="replace" of bytes.decode for all bytes together. A
    token may be a part of a character, and all ids are known. No ids give "". Neither argument is modified.
    """
    tokens = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        tokens.append(tokens[left] + tokens[right])
    data = b"".join(tokens[each] for each in ids)
    return data.decode("utf-8", errors="replace")


def _merge(ids: list[int], pair: tuple[int, int], new_id: int) -> list[int]:
    merged = []
    place = 0
    while place < len(ids):
        if place + 1 < len(ids) and (ids[place], ids[place + 1]) == pair:
            merged.append(new_id)
            place += 2
        else:
            merged.append(ids[place])
            place += 1
    return merged
