"""One row of biases for all relative positions, of which each query sees a window (a strided view)."""

import torch


@torch.inference_mode()
def alibi_slopes(num_heads):
    n = 2 ** (len(f"{num_heads:b}") - 1)
    i = torch.cat([torch.arange(2, 2 * n + 1, 2), torch.arange(1, 2 * n, 2)])[:num_heads]
    return torch.exp2(-4.0 * i / n)


def alibi_bias(num_heads, q_len, kv_len):
    reach = max(q_len, kv_len)
    row = -torch.abs(torch.arange(-reach, reach + 1)) * alibi_slopes(num_heads).unsqueeze(-1)
    windows = [
        row[:, reach - (i + kv_len - q_len) : reach - (i + kv_len - q_len) + kv_len] for i in range(q_len)
    ]
    return torch.stack(windows, dim=1)
