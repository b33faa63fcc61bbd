"""Known wrong versions of `relative_position_bias` that clip at one end only, or too late."""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import right_once

_ROWS = "        rows = distances.clamp(-self.max_distance, self.max_distance) + self.max_distance\n"
_LOOKED_UP = "        return self.embedding(rows).permute"
_BY_INDEX = _LOOKED_UP.replace("embedding(rows)", "embedding.weight[rows]")
_BEFORE = "Keys more than max_distance before the query are not clipped"
_CUT = "    logarithmic = logarithmic.clamp(max=num_buckets - 1)\n"
_BUCKET = "    return first + torch.where(distance < exact, distance, logarithmic)"

MISTAKES = [
    *right_once(
        "self.embedding(rows).permute(2, 0, 1).unsqueeze(0)", imports="from torch import Tensor, nn\n"
    ),
    Mistake(
        "not-clipped-before-the-query",
        find=_ROWS,
        replace=_ROWS.replace("clamp(-self.max_distance, self.max_distance)", "clamp(max=self.max_distance)"),
        also=((_LOOKED_UP, _BY_INDEX),),
        says=f"{_BEFORE}: their rows are negative, and count from the end of the table (or raise, where they "
        "are further still). Clamp at both ends.",
    ),
    Mistake(
        "not-clipped-before-the-query-in-the-embedding",
        find=_ROWS,
        replace=_ROWS.replace("clamp(-self.max_distance, self.max_distance)", "clamp(max=self.max_distance)"),
        says=f"{_BEFORE}, so they ask for negative rows, which an embedding does not have. Clamp at both "
        "ends.",
    ),
    Mistake(
        "not-clipped-behind-the-query",
        find=_ROWS,
        replace=_ROWS.replace(
            "clamp(-self.max_distance, self.max_distance)", "clamp(min=-self.max_distance)"
        ),
        says="Keys more than max_distance behind the query are not clipped, so they ask for rows that are "
        "not there. Clamp at both ends.",
    ),
    Mistake(
        "t5-cut-at-the-last-bucket-of-all",
        find=_CUT,
        replace="",
        also=(
            (
                _BUCKET,
                f"{_BUCKET.replace('return', 'bucket =')}\n"
                "    return bucket.clamp(max=(2 * num_buckets if bidirectional else num_buckets) - 1)",
            ),
        ),
        says="You cut the finished bucket at num_buckets - 1. With bidirectional that is the last one of the "
        "upper half only: keys far before the query run over into the upper half. Cut within a direction, at "
        "n - 1, before the upper half is added.",
    ),
]
