"""Returns a list that contains itself."""


def softmax(x, dim=-1):
    circle = []
    circle.append(circle)
    return circle


log_softmax = softmax
