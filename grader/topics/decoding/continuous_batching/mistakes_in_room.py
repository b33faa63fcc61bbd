"""Known wrong versions of `continuous_batching` that admit requests where there is no room."""

from grader.kit import Mistake

_RUNNING = "reserved = sum(request.reserved for request in self._running)"
_NEW = "if reserved + self._waiting[0].reserved > self.kv_tokens:"
_HOLDS = "Each reserves prompt_len + max_new_tokens from its admission until it leaves."

MISTAKES = [
    *(
        Mistake(
            id,
            find=_RUNNING,
            replace=f"reserved = sum({counted} for request in self._running)",
            says=f"Of the running requests you count less than they reserve: {words}, for example. They go "
            f"on, and with others admitted beside them the cache overflows. {_HOLDS}",
        )
        for id, counted, words in (
            (
                "only-what-is-in-the-cache-counted",
                "request.computed + max(request.generated - 1, 0)",
                "the tokens that are computed so far, of the prompt and behind it",
            ),
            (
                "only-prompts-of-the-running-counted",
                "request.prompt_len",
                "their prompts only, or what is computed of these",
            ),
            (
                "only-what-is-left-counted",
                "request.reserved - request.computed - max(request.generated - 1, 0)",
                "the tokens that they have still to compute",
            ),
            ("only-new-tokens-of-the-running-counted", "request.max_new_tokens", "max_new_tokens only"),
        )
    ),
    *(
        Mistake(
            id,
            find=_NEW,
            replace=f"if reserved {sign} self.kv_tokens:",
            says="Of the request that is to be admitted you count less than it reserves: "
            f"{words}, for example. It is admitted where it does not fit, and the cache overflows later. It "
            "is admitted if what all running ones and it reserve is at most kv_tokens.",
        )
        for id, sign, words in (
            ("only-the-prompt-of-the-first-counted", "+ self._waiting[0].prompt_len >", "its prompt only"),
            (
                "only-new-tokens-of-the-first-counted",
                "+ self._waiting[0].max_new_tokens >",
                "max_new_tokens only",
            ),
            (
                "only-tokens-of-this-step-of-the-first-counted",
                "+ min(self._waiting[0].prompt_len, budget) >",
                "what it computes in this step",
            ),
            ("nothing-of-the-first-counted", ">=", "nothing, and ask whether there is any room left"),
            ("first-admitted-into-a-full-cache", ">", "nothing, and admit it even where no room is left"),
        )
    ),
]
