"""Known wrong versions of `paged_kv_cache` whose storage has its dimensions in another order."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "heads-before-tokens-in-the-storage",
        find="shape = (num_blocks, block_size, num_kv_heads, head_dim)",
        replace="shape = (num_blocks, num_kv_heads, block_size, head_dim)",
        also=(
            *(
                (
                    f"self.{name}s[blocks, places % self.block_size]",
                    f"self.{name}s[blocks, :, places % self.block_size]",
                )
                for name in ("key", "value")
            ),
            *(
                (f"self.{name}s[table].flatten", f"self.{name}s[table].transpose(1, 2).flatten")
                for name in ("key", "value")
            ),
        ),
        says="Your storage has the heads before the tokens of a block, (num_blocks, num_kv_heads, "
        "block_size, head_dim), as some kernels want it. Here it is (num_blocks, block_size, "
        "num_kv_heads, head_dim): keys[block, place] is one token.",
    ),
]
