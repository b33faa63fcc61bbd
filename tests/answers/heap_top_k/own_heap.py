"""A heap by hand in a list, sifting up and down; counts by Counter and a sort of the pairs."""

from collections import Counter


class SmallestOnTop:
    def __init__(self, room):
        self.room, self.items = room, []

    def offer(self, item):
        items = self.items
        if len(items) < self.room:
            items.append(item)
            place = len(items) - 1
            while place and items[(place - 1) // 2] > items[place]:
                up = (place - 1) // 2
                items[up], items[place] = items[place], items[up]
                place = up
        elif item > items[0]:
            items[0] = item
            place = 0
            while (child := 2 * place + 1) < len(items):
                if child + 1 < len(items) and items[child + 1] < items[child]:
                    child += 1
                if items[place] <= items[child]:
                    break
                items[place], items[child] = items[child], items[place]
                place = child


def k_largest(numbers, k):
    assert k >= 1
    best = SmallestOnTop(k)
    for number in numbers:
        best.offer(number)
    best.items.sort(reverse=True)
    return best.items


def top_k_frequent(numbers, k):
    assert k >= 1
    pairs = sorted(Counter(numbers).items(), key=lambda pair: -pair[1])
    return [number for number, _ in pairs][:k]
