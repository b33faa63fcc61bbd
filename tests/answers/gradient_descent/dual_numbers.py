"""Gradient descent as an iterator; dual numbers for the parabola. The velocity carries the learning rate."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dual:
    value: float
    slope: float = 0.0

    def __add__(self, other: Dual) -> Dual:
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other: Dual) -> Dual:
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)


def quadratic_gradient(place: float) -> float:
    x = Dual(float(place), 1.0)
    return (x * x + x + Dual(1.0)).slope


class _Ball:
    def __init__(self, slope_at, place, rate, memory):
        self.slope_at, self.place, self.rate, self.memory = slope_at, place, rate, memory
        self.move = 0.0  # minus learning rate times velocity

    def __iter__(self):
        return self

    def __next__(self):
        self.move = self.memory * self.move - self.rate * self.slope_at(self.place)
        self.place += self.move
        return self.place


def gradient_descent(slope_at, place, rate, count, memory=0.0):
    place = float(place)
    ball = _Ball(slope_at, place, rate, memory)
    return [place, *(next(ball) for _ in range(count))]
