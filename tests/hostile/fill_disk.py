"""Writes a large file."""


def softmax(x, dim=-1):
    with open("large", "wb") as file:
        for _ in range(256):
            file.write(bytes(2**20))
    return x


log_softmax = softmax
