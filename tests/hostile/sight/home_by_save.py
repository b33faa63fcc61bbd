"""Lets torch write into the folder of the user, past Python."""

import torch

for _save in (
    lambda: torch.save({"a": torch.ones(2)}, "FOLDER/mine.pt"),
    lambda: torch.jit.script(torch.nn.Linear(1, 1)).save("FOLDER/mine.pt"),
    lambda: torch.UntypedStorage.from_file("FOLDER/mine.pt", True, 9),
):
    try:
        _save()
    except RuntimeError as error:
        print(error)


def softmax(x, dim=-1):
    return x


log_softmax = softmax
