"""Asks the judge's function about lists in lists."""


def beam_search(log_probs, bos_id, eos_id, beam_width, max_len, length_penalty=0.0):
    value = [bos_id]
    for _ in range(50):
        value = [value]
    return log_probs(value)
