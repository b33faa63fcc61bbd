from torch.autograd import Function


class LogSoftmax(Function):
    @staticmethod
    def forward(ctx, x, dim):
        z = x - x.max(dim, keepdim=True)[0]
        y = z - z.exp().sum(dim, keepdim=True).log()
        ctx.save_for_backward(y)
        ctx.dim = dim
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g - y.exp() * g.sum(ctx.dim, keepdim=True), None


class Softmax(Function):
    @staticmethod
    def forward(ctx, x, dim):
        e = x.sub(x.max(dim, keepdim=True)[0]).exp_()
        e /= e.sum(dim, keepdim=True)
        ctx.save_for_backward(e)
        ctx.dim = dim
        return e

    @staticmethod
    def backward(ctx, g):
        (p,) = ctx.saved_tensors
        return p * (g - (g * p).sum(ctx.dim, keepdim=True)), None


def softmax(x, dim=-1):
    return Softmax.apply(x, dim)


def log_softmax(x, dim=-1):
    return LogSoftmax.apply(x, dim)
