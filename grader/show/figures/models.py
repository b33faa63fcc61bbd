"""Real models: the numbers of models.toml, each model with where they are from."""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

FILE = resources.files("grader.show.figures") / "models.toml"


@dataclass(frozen=True)
class Model:
    """A published model. None: not confirmed by a source, or the model has no such thing."""

    id: str
    name: str
    year: int
    kind: str  # "decoder", "encoder" or "encoder-decoder"
    sources: tuple[str, ...]
    layers: int
    hidden_size: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    intermediate_size: int
    vocab: int | None = None
    context: int | None = None
    position: str | None = None
    rope_theta: float | None = None
    norm: str | None = None
    activation: str | None = None
    kv_rank: int | None = None  # MLA: the width of the joint compression of keys and values
    q_rank: int | None = None  # MLA: the width of the queries' compression
    rope_head_dim: int | None = None  # MLA: the shared rotary part of the key
    window: int | None = None  # tokens that a local layer looks back at
    window_layers: int = 0  # how many of the layers are local

    @property
    def rotary_dim(self) -> int | None:
        """The features of a head that RoPE turns."""
        if self.rope_theta is None:
            return None
        return self.rope_head_dim if self.kv_rank is not None else self.head_dim

    @property
    def groups(self) -> int:
        """Query heads to each key/value head."""
        return self.num_heads // self.num_kv_heads

    @property
    def attention(self) -> str:
        """The kind of attention, by how heads share keys and values."""
        if self.kv_rank is not None:
            return "MLA"
        if self.num_kv_heads == self.num_heads:
            return "MHA"
        return "MQA" if self.num_kv_heads == 1 else "GQA"

    @property
    def kv_numbers_per_token(self) -> int | None:
        """Numbers that the KV cache of a decoder holds for each token, over all layers.

        A local layer lets go of a token once its window has passed it; here it counts as long as it is held.
        """
        if self.kind != "decoder":
            return None
        if self.kv_rank is not None:
            return self.layers * (self.kv_rank + (self.rope_head_dim or 0))
        return 2 * self.layers * self.num_kv_heads * self.head_dim

    @property
    def kv_bytes_per_token(self) -> int | None:
        """The KV cache of one token in 16 bits a number."""
        numbers = self.kv_numbers_per_token
        return None if numbers is None else 2 * numbers

    def cell(self, column: str) -> str:
        """A field or property as a table shows it."""
        value = getattr(self, column)
        if value is None:
            return "–"
        if column.endswith("bytes_per_token"):
            return f"{value:,} bytes"
        return f"{value:,.0f}" if isinstance(value, int | float) and column != "year" else str(value)


@lru_cache(maxsize=1)
def load_models() -> dict[str, Model]:
    """All models by id, in the order of the file."""
    entries = tomllib.loads(FILE.read_text(encoding="utf-8"))["models"]
    models = [Model(**{**entry, "sources": tuple(entry["sources"])}) for entry in entries]
    return {model.id: model for model in models}


def model(id_: str) -> Model:
    """The model of that id. LookupError with the known ones otherwise."""
    known = load_models()
    if id_ not in known:
        raise LookupError(f"there is no model {id_!r}; there are: {', '.join(known)}")
    return known[id_]
