"""Python lists, row by row; prints what it says."""

import torch


def greedy_decode(next_logits, batch_size, bos_id, eos_id, pad_id, max_len):
    texts = [[bos_id] for _ in range(batch_size)]
    running = set(range(batch_size))
    while running and len(texts[0]) < max_len:
        logits = next_logits(torch.tensor(texts))
        for row in range(batch_size):
            if row not in running:
                texts[row].append(pad_id)
                continue
            token = int(torch.argmax(logits[row]))
            texts[row].append(token)
            if token == eos_id:
                running.discard(row)
        print("now", len(texts[0]), "tokens")
    return torch.tensor(texts)
