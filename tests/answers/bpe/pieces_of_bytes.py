"""Tokens as bytes in dicts, one merge at a time by the lowest rank; counts by hand; prints."""

print("bpe loaded")


def neighbours(parts):
    return [(parts[i - 1], parts[i]) for i in range(1, len(parts))]


def train_bpe(text, num_merges):
    data = text.encode()
    ids = [b for b in data]
    found = []
    while len(found) != num_merges:
        table = {}
        for i, pair in enumerate(neighbours(ids)):
            first, count = table.get(pair, (i, 0))
            table[pair] = (first, count + 1)
        ranked = sorted(table, key=lambda pair: (-table[pair][1], table[pair][0]))
        if not ranked or table[ranked[0]][1] == 1:
            return found
        found.append(ranked[0])
        ids = encode(text, found)
    return found


def encode(text, merges):
    ids = list(text.encode())
    rank = {tuple(pair): i for i, pair in enumerate(merges)}
    while len(ids) > 1:
        best = min(neighbours(ids), key=lambda pair: rank.get(pair, float("inf")))
        if best not in rank:
            break
        at = neighbours(ids).index(best)
        ids = [*ids[:at], rank[best] + 256, *ids[at + 2 :]]
    return ids


def decode(ids, merges):
    def expand(i):
        if i < 256:
            return bytes((i,))
        left, right = merges[i - 256]
        return expand(left) + expand(right)

    out = b""
    for i in ids:
        out += expand(i)
    return str(out, "utf-8", "replace")
