"""NumPy arrays of ids; pairs as single numbers; encoding by a doubly linked list and a heap of ranks."""

import heapq

import numpy as np

WIDE = 1 << 20


def train_bpe(text, num_merges):
    ids = np.frombuffer(text.encode("utf-8"), dtype=np.uint8).astype(np.int64)
    merges = []
    for step in range(num_merges):
        codes = ids[:-1] * WIDE + ids[1:]
        if codes.size == 0:
            break
        values, first, counts = np.unique(codes, return_index=True, return_counts=True)
        if counts.max() < 2:
            break
        among = np.flatnonzero(counts == counts.max())
        code = int(values[among[first[among].argmin()]])
        pair = divmod(code, WIDE)
        merges.append(pair)
        ids = replaced(ids, pair, 256 + step)
    return merges


def replaced(ids, pair, new_id):
    out, skip = [], False
    for here, following in zip(ids, [*ids[1:], -1], strict=True):
        if skip:
            skip = False
        elif (here, following) == pair:
            out.append(new_id)
            skip = True
        else:
            out.append(here)
    return np.array(out, dtype=np.int64)


def encode(text, merges):
    ids = list(text.encode("utf-8"))
    ranks = {pair: i for i, pair in enumerate(merges)}
    following = list(range(1, len(ids) + 1))
    before = list(range(-1, len(ids) - 1))
    heap = []

    def push(at):
        if at >= 0 and following[at] < len(ids):
            pair = ids[at], ids[following[at]]
            if pair in ranks:
                heapq.heappush(heap, (ranks[pair], at, pair))

    for at in range(len(ids)):
        push(at)
    while heap:
        rank, at, pair = heapq.heappop(heap)
        other = following[at] if ids[at] is not None else len(ids)
        if other >= len(ids) or (ids[at], ids[other]) != pair:
            continue
        ids[at], ids[other] = 256 + rank, None
        following[at] = following[other]
        if following[at] < len(ids):
            before[following[at]] = at
        push(before[at])
        push(at)
    return [each for each in ids if each is not None]


def decode(ids, merges):
    table = [bytes([i]) for i in range(256)]
    for pair in merges:
        table.append(b"".join(table[part] for part in pair))
    data = bytearray()
    for each in ids:
        data.extend(table[each])
    return data.decode("utf-8", "replace")
