"""Checks of `patchify`, `unpatchify` and `PatchEmbedding`: order, the way back, class token, what raises."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    assert_close,
    assert_inputs_unchanged,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
)
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("im2col")

# The first has 4 x 9 patches: a square number of them, which are no square.
sizes = pytest.mark.parametrize(
    "batch, channels, height, width, patch_size",
    [
        (2, 3, 8, 18, 2),
        (2, 3, 9, 6, 3),
        (1, 1, 4, 8, 4),
        (3, 2, 5, 5, 5),
        (2, 5, 3, 4, 1),
        (2, 3, 8, 2, 2),
        (2, 3, 2, 10, 2),
    ],
)


def workload(submission, rng):
    layer = submission.PatchEmbedding((64, 96), 8, 3, 64)
    layer.randomize(rng, torch.float32)
    return layer.measure(rng.normal(2, 3, 64, 96, dtype=torch.float32))


LADDER = [(1, 1, 1, 1), (1, 1, 2, 1), (1, 2, 1, 1), (1, 2, 2, 2), (2, 2, 1, 1)]


def smallest(submission, rng, channels, height, width, patch_size):
    """small whole numbers give what F.unfold gives"""
    layer = submission.PatchEmbedding((height, width), patch_size, channels, 1)
    weights, images = fill(rng, layer), whole(rng, 1, channels, height, width)
    assert_close(submission.patchify(images, patch_size), unfolded(images, patch_size))
    assert_close(layer(images), embedded(weights, images, patch_size))


def unfolded(images, patch_size):
    """F.unfold with a stride of the patch size: its columns are the patches."""
    return F.unfold(images, patch_size, stride=patch_size).transpose(1, 2)


def folded(patches, patch_size, image_size):
    """F.fold, of patches that do not overlap."""
    return F.fold(patches.transpose(1, 2), image_size, patch_size, stride=patch_size)


def embedded(weights, images, patch_size=2):
    """F.conv2d with a stride of the patch size; a class token in front; plus positions."""
    kernel = weights["proj.weight"].unflatten(1, (images.shape[1], patch_size, patch_size))
    x = F.conv2d(images, kernel, weights["proj.bias"], stride=patch_size).flatten(2).transpose(1, 2)
    cls_token = weights["cls_token"].repeat(len(x), 1, 1)
    return torch.cat([cls_token, x], dim=1) + weights["position_embedding"]


def usual_patches(rng):
    """In the second round sizes that models have, and any other: of patches, and of images cut into them."""
    for patch_size in (14, 16, 32, rng.option(7, 1, 48)) if is_second_round() else ():
        yield patch_size, (patch_size * rng.option(2, 1, 5), patch_size * rng.option(3, 1, 5))


@sizes
def test_patches(submission, rng, batch, channels, height, width, patch_size):
    """patchify gives the columns of F.unfold: patches row by row, each as (channel, row, column)"""
    images = rng.normal(batch, channels, height, width)
    assert_close(submission.patchify(images, patch_size), unfolded(images, patch_size))
    for patch_size, image_size in usual_patches(rng):
        images = rng.normal(1, 2, *image_size)
        assert_close(submission.patchify(images, patch_size), unfolded(images, patch_size))


@sizes
def test_way_back(submission, rng, batch, channels, height, width, patch_size):
    """unpatchify gives what F.fold gives: the images from which the patches are"""
    patches = rng.normal(batch, height * width // patch_size**2, channels * patch_size**2)
    came = submission.unpatchify(patches, patch_size, (height, width))
    assert_close(came, folded(patches, patch_size, (height, width)))
    for patch_size, image_size in usual_patches(rng):
        patches = unfolded(rng.normal(1, 2, *image_size), patch_size)
        came = submission.unpatchify(patches, patch_size, image_size)
        assert_close(came, folded(patches, patch_size, image_size))


def test_gradients_of_patches(submission, rng):
    """gradients reach the images, in patchify"""
    images, constants = rng.normal(2, 3, 6, 10), {"patch_size": 2}
    assert_same_gradients(submission.patchify, unfolded, images, constants=constants)


def test_gradients_of_the_way_back(submission, rng):
    """gradients reach the patches, in unpatchify"""
    constants = {"patch_size": 2, "image_size": (8, 18)}
    assert_same_gradients(submission.unpatchify, folded, rng.normal(2, 36, 12), constants=constants)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64])
def test_dtype_is_kept(submission, rng, dtype):
    """patches and images have the dtype that came in, numbers of pixels too"""
    images = rng.integers(0, 256, 2, 3, 8, 18).to(dtype)
    patches = unfolded(images.double(), 2).to(dtype)
    assert_close(submission.patchify(images, 2), patches)
    assert_close(submission.unpatchify(patches, 2, (8, 18)), images)
    if is_second_round():  # numbers that float32 does not have, and complex ones
        large, turned = rng.integers(2**30, 2**31, 2, 3, 8, 18), rng.integers(1, 9, 2, 3, 8, 18)
        for each in (large, torch.complex(images.double(), turned.double()), images.to(torch.uint8)):
            patches = each.view(2, 3, 4, 2, 9, 2).permute(0, 2, 4, 1, 3, 5).reshape(2, 36, 12)
            assert_close(submission.patchify(each, 2), patches)
            assert_close(submission.unpatchify(patches, 2, (8, 18)), each)


def test_other_layouts(submission, rng):
    """images and patches that are not contiguous are right"""
    images, patches = rng.normal(2, 6, 10, 3).permute(0, 3, 1, 2), rng.normal(12, 36, 2).transpose(0, 2)
    assert_close(submission.patchify(images, 2), unfolded(images, 2))
    assert_close(submission.unpatchify(patches, 2, (8, 18)), folded(patches, 2, (8, 18)))


@pytest.mark.parametrize("height, width", [(7, 6), (6, 7), (1, 6), (9, 9), (1, 4), (12, 5)])
def test_sizes_that_do_not_fit_raise(submission, rng, height, width):
    """a height or width that patch_size does not divide raises ValueError in patchify"""
    assert_raises(submission.patchify, rng.normal(2, 3, height, width), 2)


def test_images_are_not_modified(submission, rng):
    """images and patches are not modified"""
    assert_inputs_unchanged(submission.patchify, rng.normal(2, 3, 6, 10), 2)
    assert_inputs_unchanged(submission.unpatchify, rng.normal(2, 36, 12), 2, (8, 18))


# The embedding


@pytest.mark.parametrize("height, width, patches", [(6, 10, 15), (4, 4, 4), (2, 8, 4)])
def test_parameters(submission, height, width, patches):
    """the parameters are proj, cls_token and position_embedding, with a place for each patch and one more"""
    expected = {"proj.weight": (7, 12), "proj.bias": (7,), "cls_token": (1, 1, 7)}
    expected |= {"position_embedding": (1, patches + 1, 7)}
    assert_parameters(submission.PatchEmbedding((height, width), 2, 3, 7), expected)


@pytest.mark.parametrize("batch, height, width", [(2, 6, 10), (3, 8, 2), (2, 2, 8), (1, 2, 2)])
def test_equals_a_convolution(submission, rng, batch, height, width):
    """equals F.conv2d with a stride of patch_size, a class token in front, plus positions of all"""
    layer = submission.PatchEmbedding((height, width), 2, 3, 7)
    weights, images = layer.randomize(rng), rng.normal(batch, 3, height, width)
    assert_close(layer(images), embedded(weights, images))
    for patch_size, image_size in usual_patches(rng):
        channels = rng.option(3, 1, 5)
        layer = submission.PatchEmbedding(image_size, patch_size, channels, rng.option(7, 1, 40))
        weights, images = layer.randomize(rng), rng.normal(1, channels, *image_size)
        assert_close(layer(images), embedded(weights, images, patch_size))


def test_gradients(submission, rng):
    """the gradients of images and of every parameter are right"""
    layer = submission.PatchEmbedding((6, 10), 2, 3, 7)
    weights = layer.randomize(rng)
    assert_same_gradients(layer, embedded, rng.normal(3, 3, 6, 10), weights=weights)


def test_float32_is_kept(submission, rng):
    """float32 is kept"""
    size = rng.option(2, 1, 24)
    layer = submission.PatchEmbedding((3 * size, 5 * size), size, 3, 7)
    weights = layer.randomize(rng, torch.float32)
    images = rng.normal(2, 3, 3 * size, 5 * size, dtype=torch.float32)
    assert_close(layer(images), embedded(weights, images, size))


def test_embeddings_are_independent(submission, rng):
    """two embeddings of other sizes, used by turns, give what each alone gives"""
    first, second = submission.PatchEmbedding((6, 10), 2, 3, 7), submission.PatchEmbedding((9, 6), 3, 1, 5)
    of_first = [(rng.normal(2, 3, 6, 10),) for _ in range(4)]
    of_second = [(rng.normal(batch, 1, 9, 6),) for batch in (2, 1, 3, 2)]
    assert_by_turns(
        with_weights(rng, first, embedded, of_first),
        with_weights(rng, second, lambda weights, images: embedded(weights, images, 3), of_second),
    )


def test_images_not_contiguous(submission, rng):
    """images that are not contiguous are embedded like others"""
    layer = submission.PatchEmbedding((6, 10), 2, 3, 7)
    weights, images = layer.randomize(rng), rng.normal(2, 6, 10, 3).permute(0, 3, 1, 2)
    assert_close(layer(images), embedded(weights, images))


@pytest.mark.parametrize("image_size, patch_size", [((7, 6), 2), ((6, 7), 2), ((6, 9), 4), ((2, 8), 4)])
def test_patches_that_do_not_fit_raise(submission, image_size, patch_size):
    """a patch_size that does not divide height and width raises ValueError in the constructor"""
    assert_raises(submission.PatchEmbedding, image_size, patch_size, 3, 7)


@pytest.mark.parametrize("height, width", [(10, 6), (6, 8), (8, 10), (5, 10), (7, 10), (6, 11)])
def test_images_of_another_size_raise(submission, rng, height, width):
    """images of another height or width than image_size raise ValueError in forward"""
    layer = submission.PatchEmbedding((6, 10), 2, 3, 7)
    assert_raises(layer, rng.normal(2, 3, height, width, dtype=torch.float32))


def test_device(submission, rng):
    """nothing lands on the default device where images and parameters are on another"""
    images = rng.normal(2, 3, 6, 10, dtype=torch.float32)
    assert_keeps_device(submission, "PatchEmbedding", images, made_with=((6, 10), 2, 3, 7))
    assert_keeps_device(submission, "patchify", images, 2)
    assert_keeps_device(submission, "unpatchify", rng.normal(2, 36, 12), 2, (8, 18))


def test_embedded_images_are_not_modified(submission, rng):
    """images are not modified by the embedding"""
    layer = submission.PatchEmbedding((6, 10), 2, 3, 7)
    assert_inputs_unchanged(layer, rng.normal(2, 3, 6, 10, dtype=torch.float32))
