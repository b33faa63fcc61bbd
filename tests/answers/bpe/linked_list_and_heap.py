"""A doubly linked list in arrays; encode works with a heap of (rank, place) instead of passes over the
text.
"""

import heapq


def train_bpe(text, num_merges):
    now = list(text.encode("utf-8"))
    learned = []
    for new_id in range(256, 256 + num_merges):
        seen = {}
        for place in range(len(now) - 1):
            entry = seen.setdefault((now[place], now[place + 1]), [0, -place])
            entry[0] += 1
        if not seen:
            break
        pair, (count, _) = max(seen.items(), key=lambda item: item[1])
        if count == 1:
            break
        learned.append(pair)
        write = read = 0
        while read < len(now):
            if read + 1 < len(now) and (now[read], now[read + 1]) == pair:
                now[write] = new_id
                read += 2
            else:
                now[write] = now[read]
                read += 1
            write += 1
        del now[write:]
    return learned


def encode(text, merges):
    rank = {tuple(pair): number for number, pair in enumerate(merges)}
    token = list(text.encode("utf-8"))
    n = len(token)
    after, before = list(range(1, n + 1)), list(range(-1, n - 1))
    heap = []

    def offer(at):
        if 0 <= at < n and after[at] < n:
            number = rank.get((token[at], token[after[at]]))
            if number is not None:
                heapq.heappush(heap, (number, at))

    for at in range(n):
        offer(at)
    while heap:
        number, at = heapq.heappop(heap)
        if token[at] < 0 or after[at] >= n:
            continue
        nxt = after[at]
        if rank.get((token[at], token[nxt])) != number:
            continue
        token[at], token[nxt] = 256 + number, -1
        after[at] = after[nxt]
        if after[at] < n:
            before[after[at]] = at
        offer(at)
        offer(before[at])
    return [t for t in token if t >= 0]


def decode(ids, merges):
    # unmerge the present list until only bytes are left
    now = list(ids)
    while any(number > 255 for number in now):
        wider = []
        for number in now:
            if number > 255:
                wider.extend(merges[number - 256])
            else:
                wider.append(number)
        now = wider
    return bytes(now).decode("utf-8", "replace")
