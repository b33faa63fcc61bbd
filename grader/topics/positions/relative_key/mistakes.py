"""Known wrong versions of `relative_key`."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "relative-key-for-both",
        find='    if use_key:\n        scores = scores + torch.einsum("bhjd,ijd->bhij", key, rows)\n',
        replace="",
        says="You give the query's term whatever use_key is: that is relative_key. With use_key=True it is "
        "relative_key_query, and key_j · row is added, with the row of the same i - j.",
    ),
    Mistake(
        "relative-key-query-for-both",
        find="    if use_key:\n        scores",
        replace="    if True:\n        scores",
        says="You add the key's term whatever use_key is: that is relative_key_query. With use_key=False, "
        "the default, it is relative_key: query_i · row alone.",
    ),
    Mistake(
        "use-key-inverted",
        find="    if use_key:",
        replace="    if not use_key:",
        says="You add the key's term where use_key is False. relative_key has the query's term alone, "
        "relative_key_query (use_key=True) both.",
    ),
    Mistake(
        "key-term-alone",
        find="        scores = scores + torch.einsum",
        replace="        scores = torch.einsum",
        says="With use_key=True you give the key's term alone. relative_key_query is the sum of both: "
        "query_i · row + key_j · row.",
    ),
    Mistake(
        "key-minus-query",
        find="positions[:, None] - positions  #",
        replace="positions - positions[:, None]  #",
        says="Your distance is j - i, so the rows of the table stand in the reverse order. Here, as in "
        "BERT, it is i - j: query minus key.",
    ),
    Mistake(
        "key-term-with-the-reverse-distance",
        find='torch.einsum("bhjd,ijd->bhij", key, rows)',
        replace='torch.einsum("bhjd,jid->bhij", key, rows)',
        says="In the key's term you take the row of j - i. Both terms have the same row, that of i - j.",
    ),
    Mistake(
        "key-of-the-query-place",
        find='torch.einsum("bhjd,ijd->bhij", key, rows)',
        replace='torch.einsum("bhid,ijd->bhij", key, rows)',
        says="In the key's term you take the key at the query's place, key_i · row. It is key_j: the key of "
        "the column.",
    ),
    Mistake(
        "scores-transposed",
        find="    return scores",
        replace="    return scores.mT",
        says="Your scores are transposed. Queries are rows, keys are columns.",
    ),
    Mistake(
        "query-of-the-key-place",
        find='torch.einsum("bhid,ijd->bhij", query, rows)',
        replace='torch.einsum("bhjd,ijd->bhij", query, rows)',
        says="In the query's term you take the query at the key's place, query_j · row. It is query_i: the "
        "query of the row of scores.",
    ),
    Mistake(
        "offset-by-max-positions",
        find="distances + max_positions - 1]",
        replace="(distances + max_positions).clamp(max=2 * max_positions - 2)]",
        says="Your rows are one too far: you add max_positions to the distance. Distance 0 is in the middle "
        "of 2 max_positions - 1 rows, at max_positions - 1.",
    ),
    Mistake(
        "offset-one-too-small",
        find="distances + max_positions - 1]",
        replace="distances + max_positions - 2]",
        says="Your rows are one too early: you take rows // 2 for max_positions, for example. The table has "
        "2 max_positions - 1 rows, so max_positions is (rows + 1) // 2, and distance 0 is at "
        "max_positions - 1.",
    ),
    Mistake(
        "offset-missing",
        find="distance_embedding[distances + max_positions - 1]",
        replace="distance_embedding[distances]",
        says="You index with the distance itself, and negative ones count from the end. Add max_positions - "
        "1, so that distance 0 has the row in the middle.",
    ),
    Mistake(
        "offset-by-the-sequence",
        find="distances + max_positions - 1]",
        replace="distances + seq - 1]",
        says="You add seq - 1 to the distance, which is right only for sequences as long as the table "
        "allows. The middle of the table is at max_positions - 1, however long the sequence is.",
    ),
    Mistake(
        "absolute-distance",
        find="distance_embedding[distances + max_positions - 1]",
        replace="distance_embedding[distances.abs() + max_positions - 1]",
        says="You take the absolute distance, so that before and behind are the same and half of the table "
        "is never used.",
    ),
    Mistake(
        "scaled",
        find="    return scores",
        replace="    return scores / query.shape[-1] ** 0.5",
        says="You divide by sqrt(head_dim). That is done once, later, for the sum of these scores and query "
        "· key: here nothing is scaled.",
    ),
    Mistake(
        "content-included",
        find="    return scores",
        replace="    return scores + query @ key.mT",
        says="You add query · key. Asked for is what the positions contribute, and that alone.",
    ),
    Mistake(
        "key-term-halved",
        find='        scores = scores + torch.einsum("bhjd,ijd->bhij", key, rows)',
        replace='        scores = (scores + torch.einsum("bhjd,ijd->bhij", key, rows)) / 2',
        says="With use_key=True you average the two terms. They are added.",
    ),
    Mistake(
        "positions-on-the-default-device",
        find="torch.arange(seq, device=query.device)",
        replace="torch.arange(seq)",
        says="You make the positions on the default device, and the arguments may be on another one: pass "
        "device=query.device.",
    ),
    Mistake(
        "rows-of-another-table",
        find="def relative_key_scores(",
        replace="_REMEMBERED = {}\n\n\ndef relative_key_scores(",
        also=(
            (
                "distance_embedding[distances + max_positions - 1]",
                "distance_embedding[_REMEMBERED.setdefault(seq, distances + max_positions - 1)]",
            ),
        ),
        says="You remember which rows to read by the length of the text alone. They depend on max_positions, "
        "too: with another table they are others.",
    ),
    Mistake(
        "table-detached",
        find="    rows = distance_embedding[",
        replace="    rows = distance_embedding.detach()[",
        says="Your values are right, but no gradient reaches distance_embedding: it never learns. (detach, "
        ".data, no_grad, or a new parameter made of it, as by nn.Embedding.from_pretrained, all cut it off.)",
    ),
    Mistake(
        "terms-of-one-tensor-transposed",
        find='        scores = scores + torch.einsum("bhjd,ijd->bhij", key, rows)',
        replace="""\
        mirrored = scores.mT if key is query else torch.einsum("bhjd,ijd->bhij", key, rows)
        scores = scores + mirrored""",
        says="Where query and key are one tensor you take the key's term for the transpose of the query's. "
        "That has the row of j - i: both terms have the row of i - j.",
    ),
    Mistake(
        "key-detached",
        find='torch.einsum("bhjd,ijd->bhij", key, rows)',
        replace='torch.einsum("bhjd,ijd->bhij", key.detach(), rows)',
        says="Your values are right, but in the key's term no gradient reaches key (detach, .data, no_grad).",
    ),
    Mistake(
        "query-term-with-the-reverse-distance",
        find='torch.einsum("bhid,ijd->bhij", query, rows)',
        replace='torch.einsum("bhid,jid->bhij", query, rows)',
        says="In the query's term you take the row of j - i. Both terms have the same row, that of i - j.",
    ),
    Mistake(
        "query-detached",
        find='torch.einsum("bhid,ijd->bhij", query, rows)',
        replace='torch.einsum("bhid,ijd->bhij", query.detach(), rows)',
        says="Your values are right, but no gradient reaches query (detach, .data, no_grad).",
    ),
    Mistake(
        "key-term-subtracted",
        find="scores = scores + torch.einsum",
        replace="scores = scores - torch.einsum",
        says="With use_key=True you subtract the key's term. It is added.",
    ),
    Mistake(
        "key-term-alone-scaled",
        find='torch.einsum("bhjd,ijd->bhij", key, rows)',
        replace='torch.einsum("bhjd,ijd->bhij", key, rows) / key.shape[-1] ** 0.5',
        says="You divide the key's term by sqrt(head_dim). Nothing is scaled here, neither term.",
    ),
    Mistake(
        "product-of-query-and-key",
        find='scores = scores + torch.einsum("bhjd,ijd->bhij", key, rows)',
        replace='scores = torch.einsum("bhid,bhjd,ijd->bhij", query, key, rows)',
        says="With use_key=True you sum the products of query, key and row. There are two terms, query_i · "
        "row and key_j · row, which are added.",
    ),
    Mistake(
        "scaled-without-root",
        find="    return scores",
        replace="    return scores / query.shape[-1]",
        says="You divide by head_dim. Nothing is scaled here.",
    ),
    Mistake(
        "later-keys-left-out",
        find="    return scores",
        replace="    return scores.tril()",
        says="Your scores are 0 where the key comes after the query. Negative distances have rows of their "
        "own: whether a query may see later keys is decided elsewhere.",
    ),
    *(
        Mistake(
            f"skewed-with-half-of-the-table{other}",
            find='scores = torch.einsum("bhid,ijd->bhij", query, rows)',
            replace=f"""\
table = distance_embedding[{half}
    padded = torch.nn.functional.pad(query @ table.mT, (1, 0))
    scores = padded.view(*padded.shape[:2], seq + 1, seq)[:, :, 1:]""",
            says=f"You shift the products by padding and reshaping, with {which} only. That trick is made "
            "for causal attention: where the key comes after the query it gives 0 or a product of the next "
            f"query. {more}",
        )
        for other, half, which, more in (
            (
                "",
                "max_positions - 1 : max_positions - 1 + seq].flip(0)",
                "the rows of the distances from 0 up",
                "Negative distances have rows of their own.",
            ),
            (
                "-of-the-other-side",
                "max_positions - seq : max_positions]",
                "the first half of the table",
                "And that half has the negative distances, i - j with the key behind the query.",
            ),
        )
    ),
    Mistake(
        "both-terms-skewed-with-half-of-the-table",
        find='scores = torch.einsum("bhid,ijd->bhij", query, rows)',
        replace="""\
table = distance_embedding[max_positions - 1 : max_positions - 1 + seq].flip(0)
    padded = [
        torch.nn.functional.pad(side @ table.mT, (1, 0)).view(*side.shape[:2], seq + 1, seq)[:, :, 1:]
        for side in (query, key.flip(2))
    ]
    scores = padded[0]""",
        also=(
            (
                'scores = scores + torch.einsum("bhjd,ijd->bhij", key, rows)',
                "scores = scores + padded[1].flip(-1, -2).mT",
            ),
        ),
        says="You shift the products of both terms by padding and reshaping, with the rows of the distances "
        "from 0 up only. That trick is made for causal attention: where the key comes after the query it "
        "gives 0 or a product of another token. Negative distances have rows of their own.",
    ),
    Mistake(
        "distances-shortened",
        find="distances + max_positions - 1]",
        replace="distances.clamp(1 - max_positions // 2, max_positions // 2 - 1) + max_positions - 1]",
        says="You clamp the distances to half of what the table has (to another maximum than its own, for "
        "example). It has a row for each distance from -(max_positions - 1) to max_positions - 1.",
    ),
    Mistake(
        "result-in-float32",
        find="    return scores",
        replace="    return scores.float()",
        says="Your scores are float32 whatever came. float64 stays float64.",
    ),
    Mistake(
        "content-included-with-the-key-term",
        find='scores = scores + torch.einsum("bhjd,ijd->bhij", key, rows)',
        replace='scores = scores + torch.einsum("bhjd,ijd->bhij", key, rows) + query @ key.mT',
        says="With use_key=True you add query · key. Asked for is what the positions contribute, and that "
        "alone: query_i · row + key_j · row.",
    ),
    *(
        Mistake(
            f"positions-in-{dtype}",
            find="positions = torch.arange(seq, device=query.device)",
            replace=f"positions = torch.arange(seq, device=query.device).to(torch.{dtype})",
            also=(("distances + max_positions - 1]", f"({rows}).long()]"),),
            says=f"Your places, distances or rows are {dtype}, which {most} is too much for: there it wraps "
            "or raises. torch.arange gives int64, which indices are made for.",
        )
        for dtype, rows, most in [
            ("int8", "distances + max_positions - 1", "a distance of 128"),
            ("int16", "distances + torch.tensor(max_positions - 1).to(distances)", "a row beyond 32,767"),
        ]
    ),
]
