"""Known wrong versions of `llama`: what is kept for the next call, how long tables are, layers not run."""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import weights_kept
from grader.kit.families.models.mistakes import ONE_LAYER_ALONE, padding_row

TURNED = "query, key = _turned(query, cos, sin), _turned(key, cos, sin)"
PLACES = "angles = torch.arange(seq, device=x.device)[:, None] * frequencies"

MISTAKES = [
    weights_kept("self.gate_proj(x)"),
    *ONE_LAYER_ALONE,
    padding_row("self.token_embedding = nn.Embedding(vocab_size, hidden_size)"),
    Mistake(
        "shared-keys-not-turned",
        find=TURNED,
        replace="""\
query, turned = _turned(query, cos, sin), _turned(key, cos, sin)
        key = turned if self.num_heads == self.num_kv_heads else key""",
        says="Where heads share keys you repeat the keys as they were before the rotation (under an older "
        "name, for example), so that only the queries are turned. Repeat those that were turned.",
    ),
    Mistake(
        "shared-values-turned",
        find=TURNED,
        replace=f"""\
{TURNED}
        value = value if self.num_heads == self.num_kv_heads else _turned(value, cos, sin)""",
        says="Where heads share values you turn these, too. Only queries and keys are turned.",
    ),
    Mistake(
        "tables-made-longer-from-zero-again",
        find=PLACES,
        replace=f"""\
kept = getattr(self, "kept", torch.arange(0)).to(x.device)
        self.kept = torch.cat((kept, torch.arange(max(seq - len(kept), 0), device=x.device)))
        {PLACES.replace("torch.arange(seq, device=x.device)[", "self.kept[:seq][")}""",
        says="You keep the tables, and make them longer when a longer text comes, by rows that count from "
        "position 0 again. They go on where the kept ones end: arange(have, seq).",
    ),
    *(
        Mistake(
            f"tables-of-{length}-positions",
            find=PLACES,
            replace=PLACES.replace(")[", f").clamp(max={length - 1})["),
            says=f"Your tables end after a fixed number of positions, {length} for example, and a text may "
            "be longer. Make them as long as it is, or make them anew when a longer one comes.",
        )
        for length in (128, 256)
    ),
]
