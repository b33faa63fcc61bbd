"""Never ends."""


def softmax(x, dim=-1):
    print("round and round")
    while True:
        pass


log_softmax = softmax
