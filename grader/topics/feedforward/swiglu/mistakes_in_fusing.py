"""Known wrong versions of `swiglu` that compute gate and value in one product and take it apart wrongly."""

from grader.kit import Mistake

GATE = "        gate = F.silu(self.gate_proj(x))  # (..., intermediate_size)\n"
UP = "        up = self.up_proj(x)  # (..., intermediate_size)\n"

SIDE_BY_SIDE = (
    "You lay the weights of gate and value one behind the other, and take their product apart as if their "
    "features alternated: half of your gates are values. The first intermediate_size features are the one, "
    "the others the other: chunk(2, dim=-1)."
)
IN_TURNS = (
    "You lay the weights of gate and value in turns, and take their product apart as if the one were behind "
    "the other: half of your gates are values. They alternate: take every other feature."
)

MISTAKES = [
    Mistake(
        f"fused-{name}",
        find=GATE + UP,
        replace=f"""\
        first, second = {first}, {second}
        fused = {fused}
        gate, up = {apart}
        gate = F.silu(gate)
""",
        also=(("import torch.nn.functional as F\n", "import torch\nimport torch.nn.functional as F\n"),),
        says=says,
    )
    for order, gate, up, first, second in (
        ("", "gate", "up", "self.gate_proj(x)", "self.up_proj(x)"),
        ("value-first-", "up", "gate", "self.up_proj(x)", "self.gate_proj(x)"),
    )
    for name, fused, apart, says in (
        (
            f"{order}side-by-side-taken-in-turns",
            "torch.cat([first, second], dim=-1)",
            f"fused[..., {int(gate == 'up')}::2], fused[..., {int(gate == 'gate')}::2]",
            SIDE_BY_SIDE,
        ),
        (
            f"{order}in-turns-taken-side-by-side",
            "torch.stack([first, second], dim=-1).flatten(-2)",
            "fused.chunk(2, dim=-1)" if gate == "gate" else "fused.chunk(2, dim=-1)[::-1]",
            IN_TURNS,
        ),
    )
]
