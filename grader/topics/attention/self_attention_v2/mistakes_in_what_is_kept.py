"""Known wrong versions of `self_attention_v2` that keep something for the next call."""

from grader.kit.families.instance_mistakes import weights_kept

MISTAKES = [
    weights_kept("self.qkv_proj(x)"),
]
