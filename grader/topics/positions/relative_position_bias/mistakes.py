"""Known wrong versions of `relative_position_bias`."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "query-minus-key",
        find="        distances = keys - queries[:, None]  # (q_len, kv_len)",
        replace="        distances = queries[:, None] - keys",
        says="Your distance is query - key, so keys before and behind the query have changed places. It is "
        "key - query: negative for keys before the query.",
    ),
    Mistake(
        "absolute-distance",
        find="        distances = keys - queries[:, None]  # (q_len, kv_len)",
        replace="        distances = (keys - queries[:, None]).abs()",
        says="You take the absolute distance, so before and behind are the same and half of the rows are "
        "never used. The sign counts: key - query.",
    ),
    Mistake(
        "not-clipped",
        find="distances.clamp(-self.max_distance, self.max_distance) + self.max_distance",
        replace="distances + self.max_distance",
        says="You do not clip the distances, so those beyond max_distance ask for a row that is not there. "
        "Clamp to ±max_distance first.",
    ),
    Mistake(
        "clipped-one-early",
        find="distances.clamp(-self.max_distance, self.max_distance) + self.max_distance",
        replace="distances.clamp(-self.max_distance, self.max_distance - 1) + self.max_distance",
        says="You clip at max_distance - 1, so the last row is never used. Both ends count: from "
        "-max_distance to +max_distance there are 2 max_distance + 1 rows.",
    ),
    Mistake(
        "offset-missing",
        find="        return self.embedding(rows).permute",
        replace="        return self.embedding.weight[rows - self.max_distance].permute",
        says="You index with the clipped distance itself, and a negative index counts from the end: all "
        "rows are shifted. Add max_distance, so that the query's own place has the row in the middle.",
    ),
    Mistake(
        "aligned-at-the-end",
        find="torch.arange(q_len, device=device)",
        replace="torch.arange(q_len, device=device) + kv_len - q_len",
        says="You put the last query at the place of the last key. Here both sides count from 0.",
    ),
    Mistake(
        "far-ones-without-bias",
        find="        return self.embedding(rows).permute(2, 0, 1).unsqueeze(0)",
        replace="""\
        near = (distances.abs() <= self.max_distance).unsqueeze(-1)
        return (self.embedding(rows) * near).permute(2, 0, 1).unsqueeze(0)""",
        says="Distances beyond max_distance have no bias in yours. They share that of max_distance.",
    ),
    Mistake(
        "heads-last",
        find="self.embedding(rows).permute(2, 0, 1).unsqueeze(0)",
        replace="self.embedding(rows).unsqueeze(0)",
        says="Your result is (1, q_len, kv_len, heads), as the embedding gives it. Scores have the heads in "
        "front: permute to (1, heads, q_len, kv_len).",
    ),
    Mistake(
        "heads-moved-by-a-view",
        find="self.embedding(rows).permute(2, 0, 1).unsqueeze(0)",
        replace="self.embedding(rows).reshape(1, -1, q_len, kv_len)",
        says="You reshape (q_len, kv_len, heads) to (heads, q_len, kv_len). That keeps the order in memory "
        "and mixes heads and places: permute the dimensions.",
    ),
    Mistake(
        "queries-and-keys-swapped",
        find="permute(2, 0, 1)",
        replace="permute(2, 1, 0)",
        says="Your result is (1, heads, kv_len, q_len). Queries are rows: permute(2, 0, 1).",
    ),
    Mistake(
        "batch-dimension-missing",
        find=".permute(2, 0, 1).unsqueeze(0)",
        replace=".permute(2, 0, 1)",
        says="Your result is (heads, q_len, kv_len). It has a leading 1, for the batch: unsqueeze(0).",
    ),
    Mistake(
        "a-row-too-few",
        find="self.embedding = nn.Embedding(2 * max_distance + 1, num_heads)",
        replace="self.embedding = nn.Embedding(2 * max_distance, num_heads)",
        says="Your embedding has 2 max_distance rows. From -max_distance to +max_distance there are 2 "
        "max_distance + 1 distances, 0 among them.",
    ),
    Mistake(
        "positions-on-the-default-device",
        find="torch.arange(kv_len, device=device), torch.arange(q_len, device=device)",
        replace="torch.arange(kv_len), torch.arange(q_len)",
        says="You make the positions on the default device, and the weights may be on another one: pass "
        "device=self.embedding.weight.device.",
    ),
    Mistake(
        "bias-detached",
        find="        return self.embedding(rows).permute",
        replace="        return self.embedding(rows).detach().permute",
        says="Your values are right, but you cut the graph (detach, .data and no_grad all do), so the bias "
        "never learns.",
    ),
    Mistake(
        "t5-directions-swapped",
        find="(relative_position > 0) * num_buckets",
        replace="(relative_position < 0) * num_buckets",
        says="Your t5_bucket gives the upper half to keys before the query. It belongs to those behind it: "
        "relative position (key - query) above 0.",
    ),
    Mistake(
        "t5-zero-in-the-upper-half",
        find="(relative_position > 0) * num_buckets",
        replace="(relative_position >= 0) * num_buckets",
        says="Your t5_bucket puts relative position 0 into the upper half. Only those above 0 go there; 0 "
        "is bucket 0.",
    ),
    Mistake(
        "t5-one-direction-the-wrong-one",
        find="-relative_position.clamp(max=0)",
        replace="relative_position.clamp(min=0)",
        says="Without bidirectional, your t5_bucket keeps the keys behind the query and puts those before "
        "it into bucket 0. It is the other way round: a decoder looks back, and key - query is negative "
        "there.",
    ),
    Mistake(
        "t5-one-direction-takes-both",
        find="-relative_position.clamp(max=0)",
        replace="relative_position.abs()",
        says="Without bidirectional, your t5_bucket treats keys behind the query like those before it. They "
        "all go into bucket 0.",
    ),
    Mistake(
        "t5-buckets-not-halved",
        find="        num_buckets //= 2\n        first = (relative_position > 0) * num_buckets",
        replace="        first = (relative_position > 0) * (num_buckets // 2)",
        says="With bidirectional, each direction has half of the buckets. You compute with all of them, so "
        "the two overlap.",
    ),
    Mistake(
        "t5-all-buckets-exact",
        find="    exact = num_buckets // 2\n",
        replace="    exact = num_buckets - 1\n",
        says="Your t5_bucket has a bucket for each distance but the last. Only half of a direction's "
        "buckets are exact; the others grow logarithmically up to max_distance.",
    ),
    Mistake(
        "t5-exact-ones-of-both-directions",
        find="    if bidirectional:\n",
        replace="    exact = num_buckets // 2\n    if bidirectional:\n",
        also=(("    exact = num_buckets // 2\n    # Small", "    # Small"),),
        says="With bidirectional=True you take half of all buckets for exact ones, which is all that a "
        "direction has, so none is logarithmic. Halve num_buckets for the two directions first: half of what "
        "is left is exact.",
    ),
    Mistake(
        "t5-rounded-to-the-nearest",
        find="(growth * (num_buckets - exact)).long()",
        replace="(growth * (num_buckets - exact)).round().long()",
        says="You round the logarithm to the nearest whole number. It is rounded down: .long(), or floor.",
    ),
    Mistake(
        "t5-rounded-up",
        find="(growth * (num_buckets - exact)).long()",
        replace="(growth * (num_buckets - exact)).ceil().long()",
        says="You round the logarithm up. It is rounded down: .long(), or floor.",
    ),
    Mistake(
        "t5-last-bucket-exceeded",
        find="    logarithmic = logarithmic.clamp(max=num_buckets - 1)\n",
        replace="",
        says="Beyond max_distance your buckets go on, into those of the other direction or past the end. "
        "Cut at the last one: min with n - 1.",
    ),
    Mistake(
        "t5-logarithm-from-one",
        find="torch.log(distance.clamp(min=1) / exact) / math.log(max_distance / exact)",
        replace="torch.log(distance.clamp(min=1)) / math.log(max_distance)",
        says="Your logarithm starts at distance 1. It starts where the exact buckets end: log(d / e) / "
        "log(max_distance / e).",
    ),
    Mistake(
        "t5-logarithm-times-all-buckets",
        find="growth * (num_buckets - exact)",
        replace="growth * (num_buckets - 1 - exact)",
        says="You stretch the logarithm over one bucket too few. It is multiplied by n - e, the buckets "
        "that are left, and then cut at n - 1.",
    ),
    Mistake(
        "t5-linear",
        find="torch.log(distance.clamp(min=1) / exact) / math.log(max_distance / exact)",
        replace="(distance - exact) / (max_distance - exact)",
        says="Your buckets beyond the exact ones are all of one width. They grow logarithmically: twice the "
        "distance is always the same number of buckets further.",
    ),
    Mistake(
        "t5-max-distance-ignored",
        find="math.log(max_distance / exact)",
        replace="math.log(128 / exact)",
        says="You ignore max_distance and always use 128.",
    ),
    Mistake(
        "t5-input-modified",
        find="        distance = relative_position.abs()",
        replace="        distance = relative_position.abs_()",
        says="You write the absolute values into relative_position, which is the caller's. Use abs().",
    ),
    Mistake(
        "t5-input-modified-in-one-direction",
        find="        distance = -relative_position.clamp(max=0)",
        replace="        distance = -relative_position.clamp_(max=0)",
        says="Without bidirectional you write into relative_position, which is the caller's: clamp_ or neg_, "
        "for example. Without the underscore they make a new tensor.",
    ),
    Mistake(
        "kept-by-size",
        find="        return self.embedding(rows).permute(2, 0, 1).unsqueeze(0)",
        replace="""\
        kept = self.__dict__.setdefault("kept", {})
        if (q_len, kv_len) not in kept:
            kept[q_len, kv_len] = self.embedding(rows).permute(2, 0, 1).unsqueeze(0)
        return kept[q_len, kv_len]""",
        says="You keep the bias of each size, so that what is learned later does not count. Keep the rows, "
        "if you like, and look them up in the embedding in each call.",
    ),
    Mistake(
        "kept-by-size-without-gradients",
        find="        return self.embedding(rows).permute(2, 0, 1).unsqueeze(0)",
        replace="""\
        kept = self.__dict__.setdefault("kept", {})
        bias = self.embedding(rows).permute(2, 0, 1).unsqueeze(0)
        return bias if torch.is_grad_enabled() else kept.setdefault((q_len, kv_len), bias)""",
        says="Without gradients you keep the bias of each size: evaluated between two steps of training, the "
        "model goes on with the bias it had the first time. Keep the rows, if you like, and look them up in "
        "the embedding in each call.",
    ),
    Mistake(
        "t5-bounded-by-all-buckets",
        find="    if bidirectional:\n        num_buckets //= 2\n",
        replace="    last = num_buckets - 1\n    if bidirectional:\n        num_buckets //= 2\n",
        also=(("logarithmic.clamp(max=num_buckets - 1)", "logarithmic.clamp(max=last)"),),
        says="You cut at the last of all buckets where each direction has half of them: far keys before the "
        "query come into the other half. With bidirectional the bound is n - 1 for the n of one direction.",
    ),
    Mistake(
        "t5-logarithm-of-the-whole-distance",
        find="math.log(max_distance / exact)",
        replace="math.log(max_distance)",
        says="You divide by log(max_distance). Both logarithms begin where the exact buckets end: log(d / "
        "e) / log(max_distance / e), which is 1 at max_distance.",
    ),
    Mistake(
        "t5-logarithm-over-the-buckets",
        find="math.log(max_distance / exact)",
        replace="math.log(max_distance / num_buckets)",
        says="You divide by log(max_distance / n), with all buckets of the direction. It is "
        "log(max_distance / e), with the e = n / 2 exact ones.",
    ),
    Mistake(
        "t5-logarithm-over-all-buckets",
        find="growth * (num_buckets - exact)",
        replace="growth * num_buckets",
        says="You stretch the logarithm over all n buckets of the direction. The first e are exact: it is "
        "multiplied by n - e.",
    ),
    Mistake(
        "index-kept-by-q-len",
        find="""\
        keys, queries = torch.arange(kv_len, device=device), torch.arange(q_len, device=device)
        distances = keys - queries[:, None]  # (q_len, kv_len)
        rows = distances.clamp(-self.max_distance, self.max_distance) + self.max_distance
""",
        replace="""\
        kept = self.__dict__.setdefault("kept", {})
        if q_len not in kept:
            keys, queries = torch.arange(kv_len, device=device), torch.arange(q_len, device=device)
            distances = keys - queries[:, None]
            kept[q_len] = distances.clamp(-self.max_distance, self.max_distance) + self.max_distance
        rows = kept[q_len]
""",
        says="You keep the rows to look up by q_len alone: a later call with as many queries and another "
        "number of keys gets those of the first. Keep them by both lengths, or make them in each call.",
    ),
]
