"""Loads a graph that was made elsewhere: nobody has looked through it."""

import io

import torch

softmax = log_softmax = torch.jit.jit_module_from_flatbuffer(io.BytesIO(b"    PTMF"))
