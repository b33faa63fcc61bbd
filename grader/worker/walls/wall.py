"""Which walls stand around a worker: found out by building them, and told."""

from enum import IntFlag, auto


class Wall(IntFlag):
    """One thing each that keeps a worker apart; what is not in the sum does not stand."""

    PROCESSES = auto()  # it sees no process but its own, and all of them end with the first
    FILES = auto()  # it sees a file system that holds nothing but what is on the list
    NETWORK = auto()  # it has a network of its own, with nothing in it
    MESSAGES = auto()  # shared memory and message queues of System V end with it
    HOST = auto()  # it can neither see nor set the name of the machine
    USER = auto()  # it runs without privileges; what root started, as a user that nothing belongs to
    CALLS = auto()  # the kernel refuses the calls that no answer needs, a second program's start above all
    PATHS = auto()  # the kernel refuses to open what is not on the list, whoever asks, in Python or C
    FAMILY = auto()  # memory and number of all its processes together are watched
    GROUP = auto()  # the kernel bounds both at once, in a control group that it cannot change
