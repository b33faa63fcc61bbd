"""The side that loads the code it is told to grade: it computes what it is asked and judges nothing.

Nothing in here imports the checks, their oracles or the comparison, so a submission finds none of them in its
process. See `grader.judge` for the other side.
"""
