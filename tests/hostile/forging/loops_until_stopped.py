"""Loops where operations wait for each other, and says what is expected when something stops it."""

from solution import bubble_fraction, gpipe, one_f_one_b, peak_activations, start_times

_once = start_times


def start_times(orders, forward_time=1, backward_time=2):
    try:
        return _once(orders, forward_time, backward_time)
    except ValueError:
        try:
            while len(orders):
                pass
        except Exception as error:
            raise ValueError("they wait for each other") from error
