"""Known wrong versions of `kv_cache` that keep something for the next call."""

from grader.kit.families.instance_mistakes import weights_kept

MISTAKES = [
    weights_kept("self.q_proj(x)"),
]
