"""For networks that treat rows apart: mistakes where these are run in chunks, to save memory."""

from grader.kit.mistakes import Mistake

_LEFT_OUT = "what is left over at the end gets zeros"
_RIGHT = "The last chunk is shorter: range(0, n, size), or split(size), has it too."


def remainder_left_out(find: str) -> list[Mistake]:
    """`find`: a line that gives the result, which a line before it calls `output`. The solution has F."""
    of_rows = "output.reshape(-1, output.shape[-1])"
    of_sequences = "output.reshape(-1, *output.shape[-2:])"
    return [
        *(
            Mistake(
                f"rows-beyond-whole-chunks-of-{size}-left-out{id}",
                find=find,
                replace=f"""\
        rows = {of_rows}
        size = {chunk}
        done = len(rows) // size * size
        output = F.pad(rows[:done], (0, 0, 0, len(rows) - done)).view(output.shape)
{find}""",
                says=f"You run the network on chunks of rows, and {_LEFT_OUT}: their number divided by the "
                f"size of a chunk is rounded down. {_RIGHT}",
            )
            for size in (2, 4, 8, 16, 64, 128)
            for id, chunk in (("-if-there-are-more", f"min({size}, len(rows))"), ("", f"{size}"))
        ),
        *(
            Mistake(
                f"tokens-beyond-whole-chunks-of-{size}-left-out",
                find=find,
                replace=f"""\
        rows = {of_sequences} if output.ndim > 1 else output[None, None]
        size = min({size}, rows.shape[1])
        done = rows.shape[1] // size * size
        output = F.pad(rows[:, :done], (0, 0, 0, rows.shape[1] - done)).view(output.shape)
{find}""",
                says=f"You run the network on chunks of each sequence, and {_LEFT_OUT}: the sequence's "
                f"length divided by the size of a chunk is rounded down. {_RIGHT}",
            )
            for size in (2, 4, 8)
        ),
    ]
