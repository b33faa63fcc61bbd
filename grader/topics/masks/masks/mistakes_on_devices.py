"""Known wrong versions of `masks` whose masks of sizes are on the CPU, whatever the default device is."""

from grader.kit import Mistake

_DISTANCE, _ON_THE_CPU = "_distance(seq_len, seq_len)", '_distance(seq_len, seq_len, "cpu")'
_PLACES, _PLACES_ON_THE_CPU = "torch.arange(seq_len)", 'torch.arange(seq_len, device="cpu")'

CAUSAL = "    return _distance(q_len, kv_len) >= 0"
WINDOW = f"    distance = {_DISTANCE}\n"
LOCAL = f"    return {_DISTANCE}.abs() <= radius"
CHUNK = f"    chunk = {_PLACES} // chunk_size"
CHUNKED = f"    return same & ({_DISTANCE} >= 0)"
GLOBAL = f"    is_global = {_PLACES} % stride == 0"
SPARSE = "    return local_mask(seq_len, stride) |"
BAND = f"    return ({_DISTANCE}.abs() <= stride) |"

_EDITS = {
    "causal": [(CAUSAL, CAUSAL.replace("kv_len)", 'kv_len, "cpu")'))],
    "sliding-window": [(WINDOW, WINDOW.replace(_DISTANCE, _ON_THE_CPU))],
    "local": [(LOCAL, LOCAL.replace(_DISTANCE, _ON_THE_CPU)), (SPARSE, BAND)],
    "chunked": [
        (CHUNK, CHUNK.replace(_PLACES, _PLACES_ON_THE_CPU)),
        (CHUNKED, CHUNKED.replace(_DISTANCE, _ON_THE_CPU)),
    ],
    "sparse": [
        (GLOBAL, GLOBAL.replace(_PLACES, _PLACES_ON_THE_CPU)),
        (SPARSE, BAND.replace(_DISTANCE, _ON_THE_CPU)),
    ],
}

MISTAKES = [
    Mistake(
        f"{name}-on-the-cpu",
        find=first[0],
        replace=first[1],
        also=tuple(others),
        says=f"{name.replace('-', '_')}_mask makes its mask on the CPU, whatever the default device is. "
        "Leave the device out: then torch.arange and torch.ones take the default one.",
    )
    for name, (first, *others) in _EDITS.items()
]
