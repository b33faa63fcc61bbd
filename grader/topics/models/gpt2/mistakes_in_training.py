"""Known wrong versions of `gpt2`: initial values, and dropout."""

from grader.kit import Mistake
from grader.kit.families import dropout_mistakes
from grader.kit.families.models import mistakes as shared

START = """\
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif "norm" not in name:
                # 2 * num_layers parts add to the residual path, whose variance should not grow with depth.
                adds = name.endswith(("o_proj.weight", "down_proj.weight"))
                nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * num_layers) if adds else 0.02)
"""
STD = "0.02 / math.sqrt(2 * num_layers) if adds else 0.02"
NORMAL = f"nn.init.normal_(parameter, std={STD})"
ADDS = 'adds = name.endswith(("o_proj.weight", "down_proj.weight"))'
DROPPED_SUM = "        x = self.dropout(x)\n"
SUM = "x = self.token_embedding(token_ids) + self.position_embedding(positions)"
ATTENTION = "x = x + self.dropout(self._attention(self.norm1(x)))"
NETWORK = "return x + self.dropout(self._feed_forward(self.norm2(x)))"
DROPOUT_P = "dropout_p = self.dropout.p if self.training else 0.0"

MISTAKES = [
    Mistake(
        "started-as-pytorch-does",
        find=START,
        replace="",
        says="You leave the initial values to PyTorch: embeddings N(0, 1), linear layers uniform. With the "
        "tied embedding the first logits are then enormous. Draw all weights from N(0, 0.02²).",
    ),
    Mistake(
        "embeddings-as-pytorch-starts-them",
        find='            elif "norm" not in name:',
        replace='            elif "norm" not in name and "embedding" not in name:',
        says="You leave the embeddings to nn.Embedding, which draws from N(0, 1). They are N(0, 0.02²), as "
        "all weights.",
    ),
    Mistake(
        "position-embedding-as-pytorch-starts-it",
        find='            elif "norm" not in name:',
        replace='            elif "norm" not in name and "position" not in name:',
        says="You leave the position embedding to nn.Embedding, which draws from N(0, 1). It is N(0, "
        "0.02²), as all weights.",
    ),
    Mistake(
        "what-is-added-not-scaled",
        find=STD,
        replace="0.02",
        also=((ADDS, "pass"),),
        says="Your o_proj and down_proj start like the others (or get small values first, which the "
        "initialization of all modules then overwrites). What they give is added to the residual path 2 * "
        "num_layers times: 0.02 / sqrt(2 * num_layers) keeps the sum's size.",
    ),
    Mistake(
        "what-is-added-multiplied-by-the-root",
        find=STD,
        replace="0.02 / 2 * math.sqrt(num_layers) if adds else 0.02",
        says="Your o_proj and down_proj start the larger the more layers there are. You multiply by "
        "sqrt(num_layers): without parentheses 0.02 / 2 * num_layers ** 0.5 is read from the left. It is "
        "0.02 / sqrt(2 * num_layers).",
    ),
    *(
        Mistake(
            f"what-is-added-scaled-by-the-{name}",
            find=STD,
            replace=STD.replace("num_layers", depth),
            says="The deviation of your o_proj and down_proj goes by where their layer stands: those of "
            f"{which} start smallest. It is the same in all layers, 0.02 / sqrt(2 * num_layers), with the "
            "number that the whole model has.",
        )
        for name, depth, which in (
            ("own-depth", '(int(name.split(".")[1]) + 1)', "later ones"),
            ("depth-from-the-end", '(num_layers - int(name.split(".")[1]))', "earlier ones"),
        )
    ),
    *(
        Mistake(
            f"only-the-{which}-layer-scaled",
            find=ADDS,
            replace=f"{ADDS} and name.startswith({start})",
            says=f"You scale o_proj and down_proj of the {which} layer alone (the loop over the layers ends "
            "too early, for example, or another name is meant in it). Those of all layers add to the "
            "residual path.",
        )
        for which, start in (("first", '"layers.0."'), ("last", 'f"layers.{num_layers - 1}."'))
    ),
    Mistake(
        "scaled-by-the-number-of-layers",
        find="math.sqrt(2 * num_layers)",
        replace="math.sqrt(num_layers)",
        says="You divide by sqrt(num_layers). Each layer adds twice, attention and network: sqrt(2 * "
        "num_layers).",
    ),
    Mistake(
        "scaled-without-a-root",
        find="math.sqrt(2 * num_layers)",
        replace="(2 * num_layers)",
        says="You divide by 2 * num_layers. It is variances that add up: divide the deviation by the square "
        "root.",
    ),
    Mistake(
        "only-o-proj-scaled",
        find=ADDS,
        replace='adds = name.endswith("o_proj.weight")',
        says="You scale o_proj alone. down_proj adds to the residual path as well.",
    ),
    Mistake(
        "only-down-proj-scaled",
        find=ADDS,
        replace='adds = name.endswith("down_proj.weight")',
        says="You scale down_proj alone. o_proj adds to the residual path as well.",
    ),
    Mistake(
        "all-scaled",
        find=ADDS,
        replace='adds = name.startswith("layers")',
        says="You scale all weights of the layers by 1 / sqrt(2 * num_layers). Only those whose result is "
        "added to the residual path are: o_proj and down_proj.",
    ),
    Mistake(
        "variance-for-deviation",
        find=NORMAL,
        replace=NORMAL.replace(STD, f"math.sqrt({STD})"),
        says="You take 0.02 for the variance. It is the standard deviation.",
    ),
    Mistake(
        "xavier",
        find=NORMAL,
        replace="nn.init.xavier_uniform_(parameter)",
        also=((f"                {ADDS}\n", ""),),
        says="You start the weights after Xavier. GPT-2's are normal with deviation 0.02, whatever their "
        "shape.",
    ),
    Mistake(
        "biases-as-pytorch-starts-them",
        find="                nn.init.zeros_(parameter)",
        replace="                pass",
        says="You leave the biases of linear layers to PyTorch, which draws them. They start at 0.",
    ),
    Mistake(
        "norms-started-like-weights",
        find='            elif "norm" not in name:',
        replace="            else:",
        says="You draw the norms' weights like others, so that everything behind a norm is nearly 0. They "
        "start at 1.",
    ),
    shared.dropout_in_evaluation("self.dropout.p"),
    shared.DROPOUT_BY_DEFAULT,
    Mistake(
        "dropout-missing",
        find="        self.layers = nn.ModuleList(",
        replace="        dropout = 0.0\n        self.layers = nn.ModuleList(",
        says="You never drop anything. In training dropout acts on the embeddings' sum, the attention "
        "weights, and what both parts add.",
    ),
    Mistake(
        "embeddings-not-dropped",
        find=DROPPED_SUM,
        replace="",
        says="You do not drop entries of the embeddings' sum. Dropout acts there too, before the first "
        "layer.",
    ),
    *(
        Mistake(
            f"embeddings-dropped-before-the-sum{of_each}",
            find=SUM,
            replace=f"""\
x = self.dropout(self.token_embedding(token_ids))
        x = x + self.dropout(self.position_embedding(positions){expanded})""",
            also=((DROPPED_SUM, ""),),
            says="You drop entries of the two embeddings each on its own. Dropout acts on their sum.",
        )
        for of_each, expanded in (("", ""), ("-of-each-text", ".expand_as(x)"))
    ),
    Mistake(
        "only-token-embedding-dropped",
        find=SUM,
        replace="x = self.dropout(self.token_embedding(token_ids)) + self.position_embedding(positions)",
        also=((DROPPED_SUM, ""),),
        says="You drop entries of the token embedding only. Dropout acts on the sum with the positions.",
    ),
    Mistake(
        "attention-weights-not-dropped",
        find=DROPOUT_P,
        replace="dropout_p = 0.0",
        says="You do not drop attention weights: in training dropout_p of the fused function is dropout, "
        "and 0 in evaluation.",
    ),
    Mistake(
        "context-dropped-for-attention-weights",
        find="dropout_p=dropout_p, is_causal=True)",
        replace="is_causal=True)\n        context = F.dropout(context, dropout_p)",
        says="You drop entries of what the heads found, behind the weighted sum, instead of attention "
        "weights. Between softmax and values only the fused function itself can drop: dropout_p.",
    ),
    Mistake(
        "attention-branch-not-dropped",
        find=ATTENTION,
        replace="x = x + self._attention(self.norm1(x))",
        says="You do not drop entries of what attention adds: dropout acts behind o_proj, before the sum.",
    ),
    Mistake(
        "network-branch-not-dropped",
        find=NETWORK,
        replace="return x + self._feed_forward(self.norm2(x))",
        says="You do not drop entries of what the network adds: dropout acts behind down_proj, before the "
        "sum.",
    ),
    Mistake(
        "branches-not-dropped",
        find=ATTENTION,
        replace="x = x + self._attention(self.norm1(x))",
        also=((NETWORK, "return x + self._feed_forward(self.norm2(x))"),),
        says="You do not drop entries of what the two parts add (the layers may lack the dropout, for "
        "example): it acts behind o_proj and behind down_proj, before the sums.",
    ),
    Mistake(
        "stream-dropped",
        find=ATTENTION,
        replace="x = self.dropout(x + self._attention(self.norm1(x)))",
        also=((NETWORK, "return self.dropout(x + self._feed_forward(self.norm2(x)))"),),
        says="You drop entries of the sum, and so of the stream itself, in every layer once more. Only what "
        "a part adds is dropped: x + dropout(part(norm(x))).",
    ),
    Mistake(
        "hidden-layer-dropped",
        find="return self.down_proj(hidden)",
        replace="return self.down_proj(self.dropout(hidden))",
        says="You drop entries of the hidden layer as well, as PyTorch's layers do. GPT-2 drops behind "
        "down_proj only.",
    ),
    Mistake(
        "position-embedding-at-0.01",
        find=("nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * num_layers) if adds else 0.02)"),
        replace=(
            "nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * num_layers) if adds else "
            '0.01 if "position" in name else 0.02)'
        ),
        says="You draw the position embedding with a deviation of 0.01, as OpenAI's code does. Here it is "
        "0.02, as for all weights.",
    ),
    Mistake(
        "token-embedding-as-pytorch-starts-it",
        find='elif "norm" not in name:',
        replace='elif "norm" not in name and "token" not in name:',
        says="You leave the token embedding to nn.Embedding, which draws from N(0, 1); as the tied head it "
        "makes enormous logits. It is N(0, 0.02²), as the position embedding.",
    ),
    Mistake(
        "deviation-of-the-width",
        find=("nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * num_layers) if adds else 0.02)"),
        replace=(
            "nn.init.normal_(parameter, std=hidden_size**-0.5 / math.sqrt(2 * num_layers) if "
            "adds else hidden_size**-0.5)"
        ),
        says="Your deviation falls with the width, 1 / sqrt(hidden_size). GPT-2's is 0.02 at any width.",
    ),
    Mistake(
        "scores-dropped",
        find="""\
        # A function knows no evaluation mode: it drops whenever the probability is above 0.
        dropout_p = self.dropout.p if self.training else 0.0
        context = F.scaled_dot_product_attention(query, key, value, dropout_p=dropout_p, is_causal=True)
""",
        replace="""\
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)
        later = torch.ones(seq, seq, dtype=torch.bool, device=x.device).triu(1)
        scores = scores.masked_fill(later, -math.inf)
        weights = self.dropout(scores).softmax(dim=-1)
        context = weights @ value
""",
        says="You drop entries of the scores, before the softmax, where a 0 is a score like others. It is "
        "the attention weights that are dropped, after the softmax.",
    ),
    Mistake(
        "attention-dropped-twice",
        find="return self.o_proj(context)",
        replace="return self.dropout(self.o_proj(context))",
        says="You drop entries of what attention adds twice, behind o_proj and again before the sum. Once.",
    ),
    Mistake(
        "embedding-without-gradient-from-the-input",
        find="self.token_embedding(token_ids) +",
        replace="self.token_embedding(token_ids).detach() +",
        says="The token embedding gets its gradient from the logits alone: where tokens go in it is "
        "detached (or under no_grad). It has one from both ends.",
    ),
    dropout_mistakes.mask_ignored_in_training(
        "is_causal=True", "is_causal=not dropout_p", mask="the causal mask"
    ),
]
