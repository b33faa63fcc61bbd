"""Known wrong versions of `relative_position_bias`: what T5's logarithm is taken of, and where it ends."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "t5-whole-quotients",
        find="distance.clamp(min=1) / exact",
        replace="distance.clamp(min=1) // exact",
        says="Inside the logarithm you divide the distance by e in whole numbers (//, for example), so "
        "distances from e to 2e - 1 all count as e, and so on: the buckets get too coarse. Divide with "
        "/, and round down after the logarithm only.",
    ),
    Mistake(
        "t5-whole-quotient-of-max-distance",
        find="math.log(max_distance / exact)",
        replace="math.log(max_distance // exact)",
        says="Inside the logarithm you divide max_distance by e in whole numbers (//, for example). Where "
        "e does not divide it the buckets get too narrow. Divide with /.",
    ),
    Mistake(
        "t5-whole-quotients-of-both",
        find="distance.clamp(min=1) / exact) / math.log(max_distance / exact)",
        replace="distance.clamp(min=1) // exact) / math.log(max_distance // exact)",
        says="Inside both logarithms you divide by e in whole numbers (//, for example), so distances from e "
        "to 2e - 1 all count as e, and so on. Divide with /, and round down after the logarithm only.",
    ),
    *(
        Mistake(
            f"t5-last-bucket-exceeded-in-{name}",
            find="    logarithmic = logarithmic.clamp(max=num_buckets - 1)\n",
            replace=f"    if {cut}:\n        logarithmic = logarithmic.clamp(max=num_buckets - 1)\n",
            says=f"{where} bidirectional your buckets go on beyond max_distance, {into}. Cut at the last one "
            "there too: min with n - 1.",
        )
        for name, cut, where, into in [
            (
                "both-directions",
                "not bidirectional",
                "With",
                "into those of the other direction or past the end",
            ),
            ("one-direction", "bidirectional", "Without", "past the end"),
        ]
    ),
    Mistake(
        "t5-cut-one-late",
        find="logarithmic.clamp(max=num_buckets - 1)",
        replace="logarithmic.clamp(max=num_buckets)",
        says="From max_distance on your bucket is n, one beyond the last: you cut at n, or cut the distance "
        "at max_distance, where the logarithm reaches n, for example. The n buckets are 0 … n - 1: min with "
        "n - 1.",
    ),
    Mistake(
        "t5-distance-cut-instead-of-the-bucket",
        find="torch.log(distance.clamp(min=1) / exact)",
        replace="torch.log(distance.clamp(min=1, max=max_distance - 1) / exact)",
        says="You cut the distance at max_distance - 1 and take its bucket, which is not the last where "
        "num_buckets is large for max_distance. Cut the bucket: from max_distance on it is n - 1.",
    ),
    Mistake(
        "t5-cut-beyond-max-distance-only",
        find="logarithmic = logarithmic.clamp(max=num_buckets - 1)",
        replace="logarithmic = torch.where(distance > max_distance, num_buckets - 1, logarithmic)",
        says="At max_distance itself your bucket is not the last, n - 1: you cut beyond it only, for "
        "example, and the logarithm reaches n there already. Cut the bucket: min with n - 1.",
    ),
    Mistake(
        "t5-smaller-of-distance-and-logarithm",
        find="torch.where(distance < exact, distance, logarithmic)",
        replace="torch.minimum(distance, logarithmic)",
        also=(("distance.clamp(min=1)", "distance.clamp(min=exact)"),),
        says="You take the smaller of the distance and its logarithmic bucket. Where there are many buckets "
        "for max_distance the logarithm goes faster than the distance, which is the smaller one beyond e, "
        "too. Ask for distance < e.",
    ),
    *(
        Mistake(
            f"t5-logarithm-in-{dtype}",
            find="torch.log(distance.clamp(min=1) / exact)",
            replace=f"torch.log((distance.clamp(min=1) / exact).clamp(max=6e4).to(torch.{dtype})).float()",
            says=f"You take the logarithm in {dtype}, which rounds so much that distances near a border get "
            "the bucket beyond it. Whole numbers divided by one are float32, which will do.",
        )
        for dtype in ("float16", "bfloat16")
    ),
]
