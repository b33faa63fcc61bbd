"""Checks of `masks`: every mask element by element, the additive form, dtypes and devices."""

import pytest
import torch

from grader.kit import assert_close, assert_inputs_unchanged
from grader.kit.families import masking
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device, assert_on_default_device

IDS = torch.tensor([[5, 0, 3, 3, 9, 0, 0], [0, 0, 4, 9, 5, 3, 4], [2, 3, 3, 5, 9, 9, 7]])
FAR = 2**24  # where numbers next to each other are near ties, and in float32 the same
LARGE = torch.tensor(
    [[FAR, FAR, FAR + 1, FAR + 1, FAR + 2, FAR], [2**53 + 1, 2**53, -(2**53), 5, 5 + 2**32, 4]]
)
TEXTS = torch.tensor([[3, 3, 3, 1, 1, 0, 0], [-2, 5, 5, -2, -2, 5, 9], [4, 4, 4, 4, 4, 4, 4]])

FROM_SIZES = {
    "causal_mask": (4, 6),
    "sliding_window_mask": (5, 2),
    "local_mask": (5, 2),
    "chunked_mask": (5, 2),
    "sparse_mask": (5, 2),
}
FROM_TENSORS = {
    "combined_mask": (IDS,),
    "packed_mask": (TEXTS,),
    "to_additive": (IDS != 0, torch.float32),
}


def workload(submission, rng):
    return submission.combined_mask.measure(rng.integers(0, 50, 4, 128))


def real(ids, pad_id):
    return torch.tensor([[[[id_ != pad_id for id_ in row]]] for row in ids.tolist()])


def packed(ids):
    return masking.same_text(ids)[:, None] & masking.causal(ids.shape[1], ids.shape[1])


def sparse(seq_len, stride):
    def keeps(i, j):
        return (i - stride <= j) & (j <= i + stride) | (i % stride == 0) | (j % stride == 0)

    return masking.by_places(seq_len, seq_len, keeps)


@pytest.mark.parametrize("ids, pad_id", [(IDS, 9), (IDS.T, None), (IDS[:1, :1], 5), (IDS + FAR, FAR + 4)])
def test_padding_mask(submission, ids, pad_id):
    """padding_mask is False where a key is pad_id (0 by default), in the shape (batch, 1, 1, seq)"""
    given = () if pad_id is None else (pad_id,)
    assert_close(submission.padding_mask(ids, *given), real(ids, pad_id or 0))


@pytest.mark.parametrize("q_len, kv_len", [(5, None), (3, 7), (7, 3), (1, 1), (140, 150)])
def test_causal_mask(submission, q_len, kv_len):
    """causal_mask hides what is later than the query, whose last one stands at the last key"""
    given = () if kv_len is None else (kv_len,)
    assert_close(submission.causal_mask(q_len, *given), masking.causal(q_len, kv_len or q_len))


@pytest.mark.parametrize("ids, pad_id", [(IDS, 3), (IDS.T, None), (IDS[:1, :1], None), (IDS + FAR, FAR + 4)])
def test_combined_mask(submission, ids, pad_id):
    """combined_mask hides the future and the keys that are pad_id (0 by default), and nothing else"""
    given = {} if pad_id is None else {"pad_id": pad_id}
    expected = real(ids, pad_id or 0) & masking.causal(ids.shape[1], ids.shape[1])
    assert_close(submission.combined_mask(ids, **given), expected)


@pytest.mark.parametrize("seq_len, window", [(7, 3), (3, 11), (5, 1), (140, 133)])
def test_sliding_window_mask(submission, seq_len, window):
    """sliding_window_mask keeps 0 <= i - j < window"""
    assert_close(submission.sliding_window_mask(seq_len, window), masking.sliding_window(seq_len, window))


@pytest.mark.parametrize("seq_len, radius", [(7, 2), (7, 0), (3, 11), (140, 133)])
def test_local_mask(submission, seq_len, radius):
    """local_mask keeps |i - j| <= radius, to both sides"""
    assert_close(submission.local_mask(seq_len, radius), masking.local(seq_len, radius))


@pytest.mark.parametrize("seq_len, chunk_size", [(7, 3), (5, 1), (3, 11), (9, 4), (11, 4), (140, 133)])
def test_chunked_mask(submission, seq_len, chunk_size):
    """chunked_mask is causal, and keeps nothing of other chunks"""
    expected = masking.chunks(seq_len, chunk_size) & masking.causal(seq_len, seq_len)
    assert_close(submission.chunked_mask(seq_len, chunk_size), expected)
    if is_second_round():  # more places than a byte has
        expected = masking.chunks(263, 131) & masking.causal(263, 263)
        assert_close(submission.chunked_mask(263, 131), expected)


@pytest.mark.parametrize("ids", [TEXTS, TEXTS.T, LARGE])
def test_packed_mask(submission, ids):
    """packed_mask is causal, and keeps nothing of texts with another id"""
    assert_close(submission.packed_mask(ids), packed(ids))


@pytest.mark.parametrize("seq_len, stride", [(11, 3), (3, 11), (17, 4), (17, 6), (5, 1), (140, 133)])
def test_sparse_mask(submission, seq_len, stride):
    """sparse_mask keeps |i - j| <= stride, and the rows and columns at multiples of stride"""
    assert_close(submission.sparse_mask(seq_len, stride), sparse(seq_len, stride))


def test_any_sizes_and_ids(submission, rng):
    """whatever the sizes and the ids are, each mask is right"""
    for most in (9, 40):
        size, *more = rng.integers(1, most, 3).tolist()
        seq_len, kv_len = (size + each for each in more)
        causal = masking.causal(seq_len, seq_len)
        expected = {
            "causal_mask": masking.causal(seq_len, kv_len),
            "sliding_window_mask": masking.sliding_window(seq_len, size),
            "local_mask": masking.local(seq_len, size),
            "chunked_mask": masking.chunks(seq_len, size) & causal,
            "sparse_mask": sparse(seq_len, size),
        }
        given = {name: (seq_len, kv_len if name == "causal_mask" else size) for name in expected}
        came = {name: getattr(submission, name)(*sizes) for name, sizes in given.items()}
        assert_close(came, expected, what=f"{seq_len} and {size}")
    ids, pad_id = rng.integers(0, 5, 3, 11), int(rng.integers(0, 5, 1))
    if is_second_round():  # of either sign
        ids, pad_id = torch.cat([ids - 2, torch.arange(-5, 6)[None]]), pad_id - 2 or 1
    came = [
        submission.padding_mask(ids, pad_id),
        submission.combined_mask(ids, pad_id),
        submission.packed_mask(ids),
    ]
    causal = masking.causal(11, 11)
    assert_close(came, [real(ids, pad_id), real(ids, pad_id) & causal, packed(ids)])


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16", "float32"])
def test_to_additive(submission, rng, dtype):
    """to_additive gives 0 where the mask is True and the dtype's lowest number elsewhere, for any shape"""
    shaped = {"float16": rng.mask(7), "bfloat16": torch.tensor(False), "float32": rng.mask(5, 7).T}
    mask, dtype = shaped.get(dtype, rng.mask(2, 1, 7).expand(2, 5, 7)), getattr(torch, dtype)
    expected = torch.zeros(mask.shape, dtype=dtype)
    expected[~mask] = torch.finfo(dtype).min
    assert_close(submission.to_additive(mask, dtype), expected)


def test_calls_are_independent(submission):
    """a mask does not depend on the calls before it"""
    came = [submission.local_mask(7, radius) for radius in (1, 0)]
    assert_close(came, [masking.local(7, radius) for radius in (1, 0)])


@pytest.mark.parametrize("name", FROM_TENSORS)
def test_device_of_the_argument(submission, name):
    """a mask made from a tensor is on its device, also where the default device is another one"""
    assert_keeps_device(submission, name, *FROM_TENSORS[name])


@pytest.mark.parametrize("name", FROM_SIZES)
def test_default_device(submission, name):
    """a mask made from sizes alone is on the default device"""
    assert_on_default_device(submission, name, *FROM_SIZES[name])


@pytest.mark.parametrize("name", FROM_TENSORS)
def test_inputs_are_not_modified(submission, name):
    """no argument is modified"""
    assert_inputs_unchanged(getattr(submission, name), *FROM_TENSORS[name])
