import torch
import torch.nn as nn


class Dropout(nn.Module):
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        assert 0.0 <= p <= 1.0, "p has to be a probability"
        self.keep_prob = 1.0 - p

    def forward(self, x):
        if self.training and self.keep_prob < 1:
            mask = torch.bernoulli(torch.full_like(x, self.keep_prob))
            scale = 1 / self.keep_prob if self.keep_prob else 0.0
            return x * mask * scale
        return x.clone()
