"""The commands by what they are for: arguments in, calls, exit status out.

Imports of what takes long stand in the functions: `list` and `hint` answer in a blink, a cold `check` spends
its time on torch.
"""
