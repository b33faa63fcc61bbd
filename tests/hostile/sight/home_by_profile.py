"""Lets the profiler write into the folder of the user."""

import torch

with torch.profiler.profile() as _profile:
    torch.ones(2).exp()
_profile.export_chrome_trace("FOLDER/mine.json")


def softmax(x, dim=-1):
    return x


log_softmax = softmax
