"""The velocity as a weighted sum over all gradients so far."""


def quadratic_gradient(x):
    return float((x + 1) ** 2 - x**2)


def gradient_descent(gradient, start, learning_rate, steps, momentum=0.0):
    points, slopes = [start], []
    while len(points) <= steps:
        slopes.insert(0, gradient(points[-1]))
        push = sum(slope * momentum**age for age, slope in enumerate(slopes))
        points += [points[-1] - learning_rate * push]
    return points
