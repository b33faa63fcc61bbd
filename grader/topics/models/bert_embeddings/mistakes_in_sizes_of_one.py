"""Known wrong versions of `bert_embeddings` that lose dimensions of size 1, or ask whether types are true."""

from grader.kit import Mistake

RESULT = "        return self.dropout(self.norm(summed))"

NO_TYPES = "        if token_type_ids is None:\n            token_type_ids = torch.zeros_like(input_ids)\n"

MISTAKES = [
    *(
        Mistake(
            f"result-squeezed{ending}",
            find=RESULT,
            replace=f"{RESULT}.squeeze({dim})",
            says=f"{lost} in your result: squeeze({dim}) takes {it} out, for example. It is (batch, seq, "
            "hidden_size) whatever the sizes: a batch of one and a single token are like any others.",
        )
        for ending, dim, lost, it in (
            ("", "", "All dimensions of size 1 are missing", "them"),
            ("-along-the-batch", "0", "A batch of one is missing", "it"),
            ("-along-the-text", "1", "A single token's dimension is missing", "it"),
        )
    ),
    Mistake(
        "types-asked-whether-they-are-true",
        find=NO_TYPES,
        replace="        token_type_ids = token_type_ids or torch.zeros_like(input_ids)\n",
        says="Where token_type_ids are given you raise a RuntimeError: you ask whether they are true, for "
        "example (`token_type_ids or …`), and a tensor of several numbers has no answer. Ask whether they "
        "are None.",
    ),
    *(
        Mistake(
            f"types-beyond-one-read-row-{name}",
            find=NO_TYPES,
            replace=f"""\
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        else:
            token_type_ids = (token_type_ids != 0).long() * {row}
""",
            says="You know two segments only: every type but 0 gets the same row, for example by torch.where "
            "on token_type_ids == 0. There may be more of them: look the types up in the table.",
        )
        for name, row in (
            ("one", "1"),
            ("of-the-last", "(self.token_type_embeddings.num_embeddings - 1)"),
        )
    ),
]
