"""What a call costs is counted in whatever thread it is computed, where threads are followed."""

import json
import subprocess
import sys

import pytest
from driving import PROJECT

START = """
import _thread, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
import json
import torch
import torch.nn.functional as F
from torch.nn.attention.bias import causal_lower_right
from grader.worker.measuring.meter import Meter, paused
from grader.worker.measuring.kernels import follow_kernels
from grader.worker.measuring.threads import follow_threads

follow_threads()
follow_kernels()
x, pool, meter = torch.ones(3, 3), ThreadPoolExecutor(2), Meter()
pool.submit(int).result()
image, filters = x[None, :, :, None], x[:, :, None, None]

def product():
    return x @ x

def in_thread(function):
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()

@torch.library.custom_op("mine::product", mutates_args=())
def own(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x @ y

library = torch.library.Library("mine", "FRAGMENT")
for key in ("CPU", "CompositeImplicitAutograd", "CompositeExplicitAutograd"):
    library.define(f"{key}(Tensor x, Tensor y) -> Tensor")
    library.impl(key, lambda x, y: in_thread(product) or x @ y, key)

class Wrapped(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    def __init__(self, inner):
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, operator, kinds, args=(), kwargs=None):
        return operator(*[item.inner if isinstance(item, cls) else item for item in args])

def inferred():
    with torch.inference_mode():
        return torch.einsum("ij,jk->ik", x, x)

def grouped(*shapes):
    first, second = (torch.ones(shape, dtype=torch.bfloat16) for shape in shapes)
    return F.grouped_mm(first, second, offs=torch.tensor([8, 16], dtype=torch.int32))

def waiting(function):
    with paused():
        function()

def bare(function):
    ended = []
    _thread.start_new_thread(lambda: ended.append(function()), ())
    while not ended:
        time.sleep(0.001)
"""
PRODUCT = 2 * 3**3
CALLS = {
    "product()": 1,
    "in_thread(product)": 1,
    "in_thread(lambda: in_thread(product))": 1,
    "bare(product)": 1,
    "pool.submit(product).result()": 1,
    "pool.submit(lambda: (product(), in_thread(product))).result()": 2,
    "ThreadPool(3).map(lambda number: product(), range(5))": 5,
    "ThreadPool(3).map(lambda number: [product() for _ in range(300)], range(7))": 2100,
    "in_thread(lambda: torch.vmap(lambda row: row @ x)(x))": 1,
    # Kernels of an answer's own, and what comes whole.
    "own(x, x)": 1,
    "in_thread(lambda: own(x, x))": 1,
    "torch.ops.mine.CPU(x, x)": 2,
    "torch.ops.mine.CompositeImplicitAutograd(x, x)": 2,
    "torch.ops.mine.CompositeExplicitAutograd(x, x)": 2,
    "Wrapped(x) @ x": 1,
    "inferred()": 1,
    "torch.nn.Parameter(x) @ x": 1,
    # Products by other names.
    "F.bilinear(x, torch.ones(3, 1), x[:, :, None])": 1,
    "F.embedding_bag(torch.arange(3).repeat(3, 1), x, per_sample_weights=x, mode='sum')": 1,
    "F.embedding_bag(torch.arange(3).repeat(3, 1), x, mode='sum')": 0,
    "torch.sparse.mm(x.to_sparse(), x)": 1,
    "torch.eye(3).to_sparse() @ x": 1 / 3,
    "torch.eye(3).to_sparse_csr() @ x": 1 / 3,
    "torch.hspmm(x.to_sparse(), x)": 1,
    "torch.smm(x.to_sparse(), x)": 1,
    "torch.sparse.sampled_addmm(x.to_sparse_csr(), x, x)": 1,
    "F.linear(x.to_mkldnn(), x.to_mkldnn())": 1,
    "torch.sparse.mm(x.to_sparse(), x.to_sparse())": 1,
    "torch.vdot(x[0], x[0])": 1 / 9,
    "torch.linalg.matrix_exp(x)": 1,
    "torch.linalg.solve_triangular(x, x, upper=True)": 1 / 2,
    "torch.linalg.inv_ex(x)": 1,
    "F.conv2d(image, filters)": 1,
    "F.conv2d(image, filters.clone().requires_grad_()).sum().backward()": 2,
    "torch._C._nn.thnn_conv2d(image, filters, (1, 1))": 1,
    "torch.mkldnn_convolution(image, filters, None, (0, 0), (1, 1), (1, 1), 1)": 1,
    "torch._C._nn.slow_conv_dilated2d(image, filters, (1, 1))": 1,
    "torch._C._nn.slow_conv_transpose2d(image, filters, (1, 1))": 1,
    "torch.cdist(x, x)": 1,
    "torch.conv_tbc(x[None], x[None], torch.zeros(3))": 1,
    "grouped((16, 8), (2, 8, 24))": 6144 / PRODUCT,
    "grouped((8, 16), (16, 24))": 6144 / PRODUCT,
    "grouped((2, 8, 8), (8, 16))": 2048 / PRODUCT,
    # What the worker does to reach the judge is not the answer's; meanwhile its threads go on.
    "waiting(product)": 0,
    "in_thread(lambda: waiting(product))": 0,
    "waiting(lambda: in_thread(product))": 1,
}


def run(code: str) -> str:
    command = [sys.executable, "-c", START + code]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def counted() -> dict[str, int]:
    """The FLOPs of all these calls."""
    code = f"""
counted = {{}}
for call in {list(CALLS)!r}:
    meter = Meter()
    with meter.calls, meter:
        eval(call)
    product()
    in_thread(product)
    counted[call] = meter.matmul_flops
print(json.dumps(counted))
"""
    return json.loads(run(code))


@pytest.mark.parametrize("call", CALLS)
def test_other_threads_count(counted: dict[str, int], call: str):
    assert counted[call] == CALLS[call] * PRODUCT


def test_it_is_known_what_other_threads_call():
    call = "torch.einsum('ij,jk->ik', x, x)"
    out = run(f"with meter.calls, meter:\n    in_thread(lambda: {call})\nprint(meter.report()['operations'])")
    assert "['bmm', [[1, 3, 3]], 54, 'einsum', 1]" in out


@pytest.mark.parametrize("place", ["in_thread(make)", "pool.submit(make).result()"])
def test_subclasses_of_tensors_can_be_made(place: str):
    code = f"made = []\ndef make():\n    made.append(causal_lower_right(2, 3))\nin_thread(int)\n{place}\n"
    code += f"with meter.calls, meter:\n    {place}\n    make()\n{place}\nmake()\nprint(len(made))"
    assert run(code) == "5"


def test_a_thread_is_as_it_was_otherwise():
    code = """
def work(one, *, two):
    found.append((one, two, threading.current_thread().name, torch.is_grad_enabled()))
    raise SystemExit

found = []
thread = threading.Thread(target=work, args=(1,), kwargs={"two": 2}, name="own")
thread.start()
thread.join()
try:
    _thread.start_new_thread(3, ())
except TypeError as error:
    print(found, error)
"""
    assert run(code) == "[(1, 2, 'own', True)] first arg must be callable"
