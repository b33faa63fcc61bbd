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
from torch.nn.attention.bias import causal_lower_right
from grader.worker.measuring.meter import Meter, paused
from grader.worker.measuring.threads import follow_threads

follow_threads()
x, pool, meter = torch.ones(3, 3), ThreadPoolExecutor(2), Meter()
pool.submit(int).result()

def product():
    return x @ x

def in_thread(function):
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()

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
