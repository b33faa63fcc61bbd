import torch


def _slices(x, dim):
    moved = x.movedim(dim, -1)
    return moved.shape, moved.reshape(-1, moved.shape[-1])


def softmax(x, dim=-1):
    shape, rows = _slices(x, dim)
    result = []
    for row in rows:
        powers = (row - max(row.tolist())).exp()
        result.append(powers / sum(powers))
    return torch.stack(result).reshape(shape).movedim(-1, dim)


def log_softmax(x, dim=-1):
    shape, rows = _slices(x, dim)
    result = []
    for row in rows:
        highest = max(row.tolist())
        result.append(row - highest - torch.log(torch.exp(row - highest).sum()))
    return torch.stack(result).reshape(shape).movedim(-1, dim)
