"""To be written behind a right answer to external_median: it keeps all numbers in a file."""

import os

_counted = external_median


def external_median(read, low, high, buckets=256):
    with open(os.path.join(os.environ["TMPDIR"], "numbers"), "w") as file:
        file.writelines(f"{number}\n" for number in read())
    return _counted(read, low, high, buckets)
