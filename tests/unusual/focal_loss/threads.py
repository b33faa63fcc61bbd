"""Threads, one for each row, with a queue."""

import queue
import threading

import torch


def focal_loss(logits, target, alpha=None, gamma=2.0, reduction="mean"):
    if reduction not in {"none", "sum", "mean"}:
        raise ValueError(reduction)
    results = queue.Queue()

    def work(number):
        row = logits[number] - logits[number].max()
        log_p = row[target[number]] - row.exp().sum().log()
        factor = 1.0 if alpha is None else alpha[target[number]] if isinstance(alpha, torch.Tensor) else alpha
        results.put((number, factor * (-torch.expm1(log_p)) ** gamma * -log_p))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(logits))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    losses = torch.stack([loss for _, loss in sorted(results.queue, key=lambda pair: pair[0])])
    return losses if reduction == "none" else getattr(losses, reduction)()
