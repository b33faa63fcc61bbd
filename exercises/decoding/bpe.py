"""Byte-pair encoding: tokens that grow from the bytes of a text, the most frequent pair of neighbours first.

Every text can be written, since every byte is a token, and what is frequent gets short. From "Neural Machine
Translation of Rare Words with Subword Units" (Sennrich et al., 2016), on bytes as in GPT-2. Forbidden:
tokenizer libraries; and there is no torch here.
"""


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
    raise NotImplementedError


def encode(text: str, merges: list[tuple[int, int]]) -> list[int]:
    """The ids of any text, seen in training or not.

    Starts from the bytes and applies the merges by rank, the one learned first first: each wherever its pair
    stands in the present sequence, from left to right without overlap. Neither the longest token nor the
    first place in the text has priority.

    merges: those of a training, or others in which no pair is there twice and each has only ids that are made
    before it; perhaps none. Neither argument is modified.
    """
    raise NotImplementedError


def decode(ids: list[int], merges: list[tuple[int, int]]) -> str:
    """The text of the ids: their bytes, joined, and then decoded.

    What is no valid UTF-8 becomes U+FFFD, as with errors="replace" of bytes.decode for all bytes together. A
    token may be a part of a character, and all ids are known. No ids give "". Neither argument is modified.
    """
    raise NotImplementedError
