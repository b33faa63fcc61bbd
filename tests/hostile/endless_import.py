"""Never ends importing."""

print("still importing", flush=True)
while True:
    pass


def softmax(x, dim=-1):
    return x


log_softmax = softmax
