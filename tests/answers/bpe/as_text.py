"""The sequence as a string with the ids as code points, merged by str.replace; a class inside."""


class Tokenizer:
    def __init__(self, merges=()):
        self.merges = list(merges)
        self.vocab = {i: bytes([i]) for i in range(256)}
        for i, (a, b) in enumerate(self.merges):
            self.vocab[256 + i] = self.vocab[a] + self.vocab[b]

    def apply(self, sequence):
        # str.replace goes from left to right and does not overlap
        for i, (a, b) in enumerate(self.merges):
            sequence = sequence.replace(chr(a) + chr(b), chr(256 + i))
        return sequence


def train_bpe(text, num_merges):
    sequence = text.encode().decode("latin-1")
    merges = []
    for i in range(num_merges):
        best, most = None, 1
        counts = {}
        for at in range(len(sequence) - 1):
            two = sequence[at : at + 2]
            counts[two] = counts.get(two, 0) + 1
        for two, count in counts.items():
            if count > most:
                best, most = two, count
        if best is None:
            break
        merges += [(ord(best[0]), ord(best[1]))]
        sequence = sequence.replace(best, chr(256 + i))
    return merges


def encode(text, merges):
    return [ord(c) for c in Tokenizer(merges).apply(text.encode().decode("latin-1"))]


def decode(ids, merges):
    vocab = Tokenizer(merges).vocab
    return b"".join(map(vocab.__getitem__, ids)).decode(errors="replace")
