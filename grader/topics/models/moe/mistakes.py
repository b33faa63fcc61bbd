"""Known wrong versions of `MoE`: choice and dispatch, the experts, what comes back."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes

ADDED = "output = output.index_add(0, token, result * weights[token, place, None])"
CHOICE = "top_logits, chosen = router_logits.topk(self.top_k, dim=-1)"
LOOP = """\
            token, place = torch.where(chosen == index)  # whose choice it is, and its first or second
            result = expert(tokens[token])  # (tokens of this expert, hidden_size)
            # Added, not assigned: another expert may have been there before.
            output = output.index_add(0, token, result * weights[token, place, None])"""
EXPERT = "return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))"
RETURNED = "return output.view(batch, seq, hidden_size), router_logits.view(batch, seq, -1)"
CHECKED = """\
        if not 1 <= top_k <= num_experts:
            raise ValueError(f"top_k {top_k} is not in 1 … {num_experts}")
"""
ALL_EXPERTS = (
    "You run every expert on every token, and multiply most results by 0. So a token costs num_experts "
    "networks instead of top_k, and nothing is saved. Run each expert on the tokens that chose it: "
    "tokens[chosen by it]."
)

MISTAKES = [
    Mistake(
        "all-experts-on-all-tokens",
        find=LOOP,
        replace="""\
            weight = (weights * (chosen == index)).sum(dim=-1, keepdim=True)  # (tokens, 1)
            output = output + weight * expert(tokens)""",
        says=ALL_EXPERTS,
    ),
    Mistake(
        "all-experts-then-selected",
        find=LOOP,
        replace="""\
            token, place = torch.where(chosen == index)
            result = expert(tokens)[token]
            output = output.index_add(0, token, result * weights[token, place, None])""",
        says=ALL_EXPERTS,
    ),
    Mistake(
        "all-experts-weighted-by-a-product",
        find=LOOP,
        replace="""\
            pass
        results = torch.stack([expert(tokens) for expert in self.experts], dim=-1)
        dense = torch.zeros_like(router_logits).scatter(1, chosen, weights)  # (tokens, num_experts)
        output = (results @ dense[:, :, None]).squeeze(-1)""",
        says=ALL_EXPERTS,
    ),
    Mistake(
        "one-hot-dispatch",
        find=LOOP,
        replace="""\
            token, place = torch.where(chosen == index)
            dispatch = F.one_hot(token, len(tokens)).to(tokens.dtype)  # (tokens of this expert, tokens)
            result = expert(dispatch @ tokens) * weights[token, place, None]
            output = output + dispatch.T @ result""",
        says="You gather and scatter tokens by products with one-hot matrices, which cost more FLOPs than "
        "the router, and grow with the square of the number of tokens. Index instead: tokens[token], and "
        "index_add_ for the way back.",
    ),
    Mistake(
        "second-expert-overwrites",
        find=ADDED,
        replace="output = output.index_copy(0, token, result * weights[token, place, None])",
        says="Of a token's experts only the last one is left: you assign their results, output[token] = …, "
        "for example, or add them to an index in which a token stands more than once, of which += takes one. "
        "index_add_ adds all.",
    ),
    Mistake(
        "results-to-the-wrong-tokens",
        find=ADDED,
        replace="""\
rows = torch.arange(len(token), device=token.device)
            output = output.index_add(0, rows, result * weights[token, place, None])""",
        says="An expert's results go to the first tokens instead of those that chose it. Add them where "
        "their inputs came from: the same indices on the way back.",
    ),
    Mistake(
        "smallest-logits",
        find=CHOICE,
        replace="top_logits, chosen = router_logits.topk(self.top_k, dim=-1, largest=False)",
        says="You choose the experts with the smallest logits. It is those with the largest.",
    ),
    Mistake(
        "always-two-experts",
        find=CHOICE,
        replace="top_logits, chosen = router_logits.topk(min(2, len(self.experts)), dim=-1)",
        says="A token gets two experts whatever top_k says. Take as many as the constructor was told.",
    ),
    Mistake(
        "one-expert-only",
        find=CHOICE,
        replace="top_logits, chosen = router_logits.topk(1, dim=-1)",
        says="A token gets its best expert only. It goes to top_k experts.",
    ),
    Mistake(
        "chosen-by-sequence",
        find=CHOICE,
        replace="""\
router_logits = router_logits.view(batch, seq, -1).mean(dim=1, keepdim=True).expand(-1, seq, -1)
        router_logits = router_logits.reshape(batch * seq, -1)
        top_logits, chosen = router_logits.topk(self.top_k, dim=-1)""",
        says="All tokens of a sequence go to the same experts, by the mean of their logits. Each token has "
        "its own logits, and its own experts.",
    ),
    Mistake(
        "noise-on-the-router",
        find=CHOICE,
        replace="""\
if self.training:
            router_logits = router_logits + torch.randn_like(router_logits)
        top_logits, chosen = router_logits.topk(self.top_k, dim=-1)""",
        says="You add noise to the logits in training, as Shazeer et al. (2017) do. Here training and "
        "evaluation are the same.",
    ),
    Mistake(
        "silu-on-the-value",
        find=EXPERT,
        replace="return self.down_proj(self.gate_proj(x) * F.silu(self.up_proj(x)))",
        says="Your experts put SiLU on up_proj. It belongs on the gate: silu(gate_proj(x)) * up_proj(x).",
    ),
    Mistake(
        "gelu-for-silu",
        find=EXPERT,
        replace="return self.down_proj(F.gelu(self.gate_proj(x)) * self.up_proj(x))",
        says="Your experts' gate is a GELU. As in SwiGLU it is SiLU, z * sigmoid(z).",
    ),
    Mistake(
        "tanh-gelu-for-silu",
        find=EXPERT,
        replace='return self.down_proj(F.gelu(self.gate_proj(x), approximate="tanh") * self.up_proj(x))',
        says="Your experts' gate is the tanh approximation of GELU. As in SwiGLU it is SiLU, z * sigmoid(z).",
    ),
    Mistake(
        "relu-for-silu",
        find=EXPERT,
        replace="return self.down_proj(F.relu(self.gate_proj(x)) * self.up_proj(x))",
        says="Your experts' gate is a ReLU. As in SwiGLU it is SiLU, z * sigmoid(z).",
    ),
    Mistake(
        "plain-experts",
        find=EXPERT,
        replace="return self.down_proj(F.silu(self.up_proj(x)))",
        says="Your experts do not use gate_proj. An expert is a SwiGLU network: "
        "down_proj(silu(gate_proj(x)) * up_proj(x)).",
    ),
    Mistake(
        "one-expert-for-all",
        find="nn.ModuleList(_Expert(hidden_size, intermediate_size) for _ in range(num_experts))",
        replace="nn.ModuleList([_Expert(hidden_size, intermediate_size)] * num_experts)",
        says="Your list holds one expert several times ([expert] * n): all share its weights. Make a new "
        "module for each.",
    ),
    Mistake(
        "router-with-a-bias",
        find="self.router = nn.Linear(hidden_size, num_experts, bias=False)",
        replace="self.router = nn.Linear(hidden_size, num_experts)",
        says="Your router has a bias. Here it has none: bias=False.",
    ),
    Mistake(
        "experts-with-biases",
        find="        self.gate_proj = nn.Linear(hidden_size, intermediate_size, bias=False)\n"
        "        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False)\n"
        "        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)",
        replace="        self.gate_proj = nn.Linear(hidden_size, intermediate_size)\n"
        "        self.up_proj = nn.Linear(hidden_size, intermediate_size)\n"
        "        self.down_proj = nn.Linear(intermediate_size, hidden_size)",
        says="Your experts' linear layers have biases. As in SwiGLU they have none: bias=False.",
    ),
    Mistake(
        "probabilities-for-logits",
        find=RETURNED,
        replace="return output.view(batch, seq, hidden_size), router_logits.softmax(-1).view(batch, seq, -1)",
        says="You return probabilities in place of the logits. The second result is what the router gives, "
        "as it is: the balancing loss takes the softmax itself.",
    ),
    Mistake(
        "logits-detached",
        find=RETURNED,
        replace="return output.view(batch, seq, hidden_size), router_logits.detach().view(batch, seq, -1)",
        says="The logits that you return are detached, so the balancing loss has no effect. Return them "
        "with their gradient.",
    ),
    Mistake(
        "logits-flat",
        find=RETURNED,
        replace="return output.view(batch, seq, hidden_size), router_logits",
        says="Your logits come as (batch * seq, num_experts). Give them back their shape: (batch, seq, "
        "num_experts).",
    ),
    Mistake(
        "logits-not-returned",
        find=RETURNED,
        replace="return output.view(batch, seq, hidden_size)",
        says="You return the output alone. The result is a pair: output and router logits, which the "
        "balancing loss needs.",
    ),
    Mistake(
        "residual-added",
        find="output = torch.zeros_like(tokens)",
        replace="output = tokens.clone()",
        says="You add x to the result. The residual connection belongs to the layer around it; here the "
        "output is the experts' sum.",
    ),
    Mistake(
        "added-to-x-in-place",
        find="output = torch.zeros_like(tokens)",
        replace="output = tokens",
        also=((ADDED, "output.index_add_(0, token, result * weights[token, place, None])"),),
        says="You add the results to the tokens themselves, which writes to the caller's x, and later "
        "experts read what earlier ones have added. Start from zeros: torch.zeros_like(tokens).",
    ),
    Mistake(
        "zeros-of-the-default-dtype",
        find="output = torch.zeros_like(tokens)",
        replace="output = torch.zeros(tokens.shape, device=tokens.device)",
        says="You begin with zeros of the default dtype, whatever that of x is. torch.zeros_like(tokens) "
        "takes its dtype and device.",
    ),
    Mistake(
        "zeros-on-the-default-device",
        find="output = torch.zeros_like(tokens)",
        replace="output = torch.zeros(tokens.shape, dtype=tokens.dtype)",
        says="You begin with zeros on the default device, wherever x is. torch.zeros_like(tokens) takes its "
        "dtype and device.",
    ),
    Mistake(
        "top-k-unchecked",
        find=CHECKED,
        replace="",
        says="Your constructor accepts any top_k, and topk complains in forward at best. Raise a ValueError "
        "in the constructor for less than 1 or more than num_experts.",
    ),
    Mistake(
        "top-k-of-zero-accepted",
        find="if not 1 <= top_k <= num_experts:",
        replace="if top_k > num_experts:",
        says="Your constructor accepts a top_k of 0 or less, with which no expert is asked. Raise a "
        "ValueError for less than 1, too.",
    ),
    Mistake(
        "top-k-too-large-accepted",
        find="if not 1 <= top_k <= num_experts:",
        replace="if top_k < 1:",
        says="Your constructor accepts a top_k larger than num_experts. There are no more experts to "
        "choose: raise a ValueError.",
    ),
    Mistake(
        "top-k-of-all-refused",
        find="if not 1 <= top_k <= num_experts:",
        replace="if not 1 <= top_k < num_experts:",
        says="You refuse a top_k of num_experts. It is allowed: each token then uses all of them.",
    ),
    instance_mistakes.kept_on_the_class("        self.top_k = top_k\n", "top_k"),
]
