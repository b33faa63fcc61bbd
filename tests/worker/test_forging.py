"""Whatever a submission sends to the judge and says of itself: a verdict comes, and no false one."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from driving import BRIEF, CATALOG, TESTS

from grader.judge.pace import crowding, paced
from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Outcome, Verdict

FORGING = TESTS / "hostile" / "forging"
MAX_JSON = 200_000

TOPICS = {
    "tiles": "flash_attention",
    "steps": "kv_cache",
    "expanded": "mla",
    "heads": "mla",
    "product": "dropout",
    "arguments": "beam_search",
    "attention": "mha",
    "ring": "ring_all_reduce",
    "experts": "moe",
    "interval": "loss_scaling",
    "scaler": "loss_scaling",
    "loops": "pipeline_schedule",
    "models": "speculative_decoding",
}
"""By the first or the last word of a file's name; the others are answers to softmax."""

# File (in tests/hostile/forging), outcome, and what the verdict says about it.
CASES = [
    ("load_problems", "crashed", "wrote something else where its answer belongs"),
    ("load_kind", "crashed", "wrote something else where its answer belongs"),
    ("load_text", "crashed", "wrote something else where its answer belongs"),
    ("frames", "crashed", "wrote something else where its answer belongs"),
    ("frames_of_text", "crashed", "wrote something else where its answer belongs"),
    ("frames_below_zero", "crashed", "wrote something else where its answer belongs"),
    ("names", "crashed", "the call has another number of arguments"),
    ("call_nobody", "crashed", "calls a function that is not there"),
    ("call_with_noise", "crashed", "wrote something else where its answer belongs"),
    ("call_with_a_text", "crashed", "expected a number"),
    ("many_lists", "crashed", "wrote something else where its answer belongs"),
    ("many_lists_in_lists", "crashed", "more than 300000 values"),
    ("many_pairs", "crashed", "wrote something else where its answer belongs"),
    ("colliding_keys", "crashed", "too many keys that are not plain"),
    ("deep_list", "crashed", "in each other more than 64 deep"),
    ("deep_tuple", "crashed", "in each other more than 64 deep"),
    ("deep_dict", "crashed", "in each other more than 64 deep"),
    ("wide_views", "crashed", "take more than 268435456 bytes"),
    ("long_double", "failed", "got a NumPy array (float128), expected a Tensor"),
    ("big_endian", "failed", "got a NumPy array (>f8), expected a Tensor"),
    ("float8", "failed", "got a Tensor (float8_e4m3fn, strided, cpu), expected a Tensor"),
    ("complex", "error", "got dtype complex128, expected float64"),
    ("unsigned", "failed", "got dtype uint16, expected float64"),
    ("long_type", "failed", ", expected a Tensor"),
    ("long_type_in_a_list", "failed", "got a list, expected a Tensor"),
    ("long_function", "error", "ValueError: short"),
    ("long_function_without_an_argument", "error", "TypeError: fff"),
    ("long_keys", "failed", "got a dict, expected a Tensor"),
    ("long_exception", "error", "…"),
    ("long_line", "error", "ValueError: xxx"),
    ("long_line_of_syntax", "error", "SyntaxError"),
    ("long_line_refused", "forbidden", "built-in softmax is forbidden in this topic"),
    ("long_output", "failed", "largest difference"),
    ("long_output_of_attention", "error", "ValueError: loud"),
    ("many_names", "error", "softmax is missing. The file defines"),
    ("measured_zeros", "failed", "In the call that is measured: largest difference"),
    ("measured_view", "failed", "In the call that is measured: largest difference"),
    ("measured_wrong_type", "failed", "In the call that is measured: got a str, expected a Tensor"),
    ("written_same", "failed", "it writes to its argument 1"),
    ("written_uncopied", "failed", "it writes to its argument 1"),
    ("written_unsaid", "failed", "it writes to its argument 1"),
    ("gradients_by_formula", "failed", "no gradient reaches argument 1"),
    ("gradients_in_the_call", "failed", "no gradient reaches argument 1"),
    ("gradients_on_the_leaf", "failed", "no gradient reaches argument 1"),
    ("refused_quietly", "forbidden", "built-in softmax is forbidden in this topic"),
    ("refused_without_a_line", "forbidden", "built-in softmax is forbidden in this topic"),
    ("refused_under_another_writer", "forbidden", "built-in softmax is forbidden in this topic"),
    ("refused_into_nothing", "crashed", "exit status 1"),
    ("refused_after_closing", "crashed", "exit status 1"),
    ("refused_when_measured", "forbidden", "built-in softmax is forbidden in this topic"),
    # Of flash_attention and beam_search.
    ("tiles_reported", "failed", "with inputs drawn anew"),
    ("tiles_counted", "failed", "with inputs drawn anew"),
    ("tiles_in_the_reply", "failed", "with inputs drawn anew"),
    ("tiles_unskipped", "failed", "with NaN in the values of later blocks, in the rows before them"),
    # Of kv_cache.
    ("steps_counted", "failed", "behind 4,150 tokens"),  # in a cache that no token has filled
    ("steps_by_size", "failed", "behind 4,150 tokens"),
    ("steps_in_numpy", "forbidden", "to where costs are not counted"),
    ("wide_product", "failed", "got shape (70000, 1), expected (1, 11686)"),
    # Of mla.
    ("expanded_counted", "failed", "(--seed"),
    ("expanded_by_size", "failed", "largest tensor that decode makes: 35,448, at most 14,769"),
    ("heads_in_a_thread", "failed", "FLOPs of decode's matrix products: 1,023,508, at most 384,019"),
    ("heads_in_a_pool", "failed", "FLOPs of decode's matrix products: 1,023,508, at most 384,019"),
    ("heads_in_a_bare_thread", "failed", "FLOPs of decode's matrix products: 1,023,508, at most 384,019"),
    ("heads_in_another_thread", "forbidden", "It loads _thread a second time"),
    ("heads_counted", "failed", "it needs more than 96 MiB of memory"),
    ("heads_in_tiles_uncounted", "failed", "where keys and values of heads would overflow"),
    ("heads_in_tiles_unseen", "failed", "where keys and values of heads would overflow"),
    ("heads_in_tiles_reported", "failed", "where keys and values of heads would overflow"),
    ("wide_arguments", "crashed", "take more than 1048576 bytes"),
    ("many_arguments", "crashed", "exceeds max_array_len(16384)"),
    ("deep_arguments", "crashed", "in each other more than 8 deep"),
    # Of ring_all_reduce.
    ("ring_of_dummies", "failed", "what is another rank's is read where it lies"),
    # Of moe.
    ("experts_in_an_operator", "failed", "take 2.39 times the FLOPs"),
    ("experts_in_bilinear", "failed", "take 2.39 times the FLOPs"),
    ("experts_in_inference", "failed", "take 2.39 times the FLOPs"),
    # Of loss_scaling, pipeline_schedule and speculative_decoding.
    ("interval_in_the_signature", "failed", "scales with the defaults"),
    ("set_back_by_the_scaler", "failed", "calls of optimizer.step"),
    ("loops_until_stopped", "failed", "looks at the orders more than 100,000 times"),
    ("models_noted", "failed", "the target is called"),
    # Right answers: what cannot be measured costs the cost, not the verdict.
    ("cost_nan", "passed", ""),
    ("cost_empty", "passed", ""),
    ("cost_text", "passed", ""),
    ("measured_recursion", "passed", ""),
    ("measured_exit", "passed", ""),
    ("measured_raises", "passed", ""),
]


class WithinReach(RemoteJudge):
    """Its workers leave their own modules where a submission can import and change them, and show the inside
    of the interpreter: what stands behind that wall is to hold without it.
    """

    SERVER = (
        "-c",
        "from grader.judge.service import server; from grader.worker import serve;"
        " from grader.worker.walls import guard;"
        " serve.put_away, guard.INSIDE = lambda: None, (); server.main()",
    )


@pytest.fixture(scope="module", params=[True, False], ids=["namespaces", "plain"])
def judge(request: pytest.FixtureRequest) -> Iterator[RemoteJudge]:
    limits = {"check_seconds": paced(6.0), "file_seconds": 8.0, **BRIEF}
    with WithinReach(namespaces=request.param, **limits) as judge:
        yield judge


def grade(judge: RemoteJudge, source: Path, folder: Path) -> Verdict:
    """The verdict on a file, in which what it imports from the solution is written out, and so is what it
    imports from the parts that several share.
    """
    name = source.stem.split("_")
    topic = CATALOG[TOPICS.get(name[0]) or TOPICS.get(name[-1]) or "softmax"]
    text = source.read_text().replace("PAD", repr("x" * 500_000))
    text = text.replace("NAMES = 1", "\n".join(f"{'n' * 90}_{i} = 1" for i in range(9000)))
    solution = topic.solution.read_text(encoding="utf-8")
    path = folder / source.name
    text = re.sub(r"^from parts\.(\w+) import .*$", _part, text, flags=re.M)
    path.write_text(re.sub("^from solution import .*$", lambda _: solution, text, flags=re.M))
    return judge.grade(topic.id, path)


def _part(found: re.Match[str]) -> str:
    return (FORGING / "parts" / f"{found[1]}.py").read_text()


def said(verdict: Verdict) -> str:
    return "\n".join([verdict.message or "", *(check.message for check in verdict.checks)])


@pytest.mark.one_way_a_day("judge", about_walls=False)
@pytest.mark.parametrize("name, outcome, sentence", CASES, ids=[case[0] for case in CASES])
def test_forgeries_come_to_nothing(judge, tmp_path, name, outcome, sentence):
    others = crowding()
    verdict = grade(judge, FORGING / f"{name}.py", tmp_path)
    assert verdict.outcome is Outcome(outcome), said(verdict)
    assert sentence in said(verdict), said(verdict)
    assert verdict.cost is None
    assert verdict.seconds < paced(12.0) * others  # so much longer a check may take
    text = verdict.to_json()
    assert len(text) < MAX_JSON
    json.loads(text, parse_constant=pytest.fail)


def test_every_forgery_is_tried():
    assert {path.stem for path in FORGING.glob("*.py")} == {name for name, _, _ in CASES}
