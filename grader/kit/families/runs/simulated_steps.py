"""Steps of a server that batches continuously, planned in another way than answers do: token by token."""

from collections.abc import Collection
from typing import Any


class Simulation:
    """The oracle: all requests in one list in order of arrival, and tokens given out one by one."""

    def __init__(self, batch_tokens: int, max_running: int, kv_tokens: int) -> None:
        self.batch_tokens, self.max_running, self.kv_tokens = batch_tokens, max_running, kv_tokens
        self.requests: list[dict[str, Any]] = []

    def add(self, request_id: int, prompt_len: int, max_new_tokens: int) -> str | None:
        if prompt_len + max_new_tokens > self.kv_tokens:
            return "refused"
        self.requests.append(
            {"id": request_id, "prompt": prompt_len, "new": max_new_tokens, "given": 0, "state": "waits"}
        )
        return None

    def written(self, request: dict[str, Any]) -> int:
        tokens: int = request["given"] - request["prompt"] + 1
        return max(0, tokens)

    def running(self) -> list[dict[str, Any]]:
        return [request for request in self.requests if request["state"] == "runs"]

    def step(self, ended: Collection[int] = ()) -> list[list[int]]:
        for request in self.running():
            if request["id"] in ended or self.written(request) >= request["new"]:
                request["state"] = "gone"
        left, plan = self.batch_tokens, {}
        for request in self.requests:
            if request["state"] == "waits" and not self.fits(request, left):
                break
            if request["state"] == "gone":
                continue
            request["state"], before = "runs", request["given"]
            while left > 0 and (request["given"] < request["prompt"] or request["given"] == before):
                request["given"] += 1
                left -= 1
            plan[request["id"]] = request["given"] - before
        return [list(pair) for pair in plan.items()]

    def fits(self, request: dict[str, Any], left: int) -> bool:
        sizes = [each["prompt"] + each["new"] for each in [*self.running(), request]]
        return left > 0 and len(sizes) <= self.max_running and sum(sizes) <= self.kv_tokens
