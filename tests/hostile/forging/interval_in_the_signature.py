"""Grows after 7 updates where nothing is said, under a signature that says 2000."""

import inspect

from solution import LossScaler

_made, _signature = LossScaler.__init__, inspect.signature(LossScaler)


def made(self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=7):
    _made(self, init_scale, growth_factor, backoff_factor, growth_interval)


LossScaler.__init__ = made
LossScaler.__signature__ = _signature
