"""Mixture of experts (MoE): a router picks a few of many feed-forward networks for each token.

As in Mixtral ("Mixtral of Experts", Jiang et al., 2024): the weights of all experts are there, but a token
pays for top_k of them only. A loss that evens out the experts' load comes with it, after that of the Switch
Transformer (Fedus et al., 2021). Nothing is forbidden. Where costs are counted, compute in torch, not in
NumPy.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class MoE(nn.Module):
    """A feed-forward layer of num_experts networks, of which each token uses top_k.

    Parameters, and no others (buffers are free), all of linear layers with bias=False: `router`, from
    hidden_size to num_experts; `experts`, a ModuleList of num_experts modules, each with `gate_proj` and
    `up_proj` from hidden_size to intermediate_size, and `down_proj` back. An expert gives
    down_proj(silu(gate_proj(x)) * up_proj(x)), as SwiGLU does; silu(z) is z * sigmoid(z).
    """

    def __init__(self, hidden_size: int, intermediate_size: int, num_experts: int, top_k: int) -> None:
        """top_k: how many experts a token uses. Initial values are free.

        Raises ValueError (or AssertionError) if top_k is less than 1 or more than num_experts.
        """
        super().__init__()
        if not 1 <= top_k <= num_experts:
            raise ValueError(f"top_k {top_k} is not in 1 … {num_experts}")
        self.top_k = top_k
        self.router = nn.Linear(hidden_size, num_experts, bias=False)
        self.experts = nn.ModuleList(_Expert(hidden_size, intermediate_size) for _ in range(num_experts))

    def forward(
        self, x: Float[Tensor, "batch seq hidden_size"]
    ) -> tuple[Float[Tensor, "batch seq hidden_size"], Float[Tensor, "batch seq num_experts"]]:
        """The output, and the router's logits as they are (of all experts, before any softmax).

        Each token goes to the top_k experts with its largest logits. Its output is the sum of what these give
        for it, each times its weight; the weights are the softmax over the chosen logits alone, so that they
        add up to 1. There is no capacity: no token is dropped, however many choose one expert, and an expert
        may get none. Training and evaluation are the same.

        An expert runs on its own tokens only (in pieces, if you like): matrix products take at most 1.1 times
        the FLOPs of the router and of top_k experts for each token, and an expert that no token has chosen
        changes nothing, also if its weights are NaN.

        A token's logits may lie around 1000 or -1000; they differ from each other, by less than 100. The
        results have the dtype of x and the parameters (float32 or float64). Gradients of both results reach x
        and every parameter that takes part. x is not modified. Nothing lands on the default device where x
        and the parameters are on another.
        """
        batch, seq, hidden_size = x.shape
        tokens = x.reshape(-1, hidden_size)  # (tokens, hidden_size): where a token comes from does not matter
        router_logits = self.router(tokens)  # (tokens, num_experts)
        top_logits, chosen = router_logits.topk(self.top_k, dim=-1)  # each (tokens, top_k)
        # The weights are the only way by which gradients reach the router: the choice itself has none.
        weights = top_logits.softmax(dim=-1)
        output = torch.zeros_like(tokens)
        for index, expert in enumerate(self.experts):
            token, place = torch.where(chosen == index)  # whose choice it is, and its first or second
            result = expert(tokens[token])  # (tokens of this expert, hidden_size)
            # Added, not assigned: another expert may have been there before.
            output = output.index_add(0, token, result * weights[token, place, None])
        return output.view(batch, seq, hidden_size), router_logits.view(batch, seq, -1)


class _Expert(nn.Module):
    def __init__(self, hidden_size: int, intermediate_size: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


def load_balancing_loss(router_logits: Float[Tensor, "... num_experts"], top_k: int) -> Float[Tensor, ""]:
    """num_experts * sum over the experts i of f_i * P_i: 1 where the load is even, up to num_experts / top_k.

    f_i is the share of expert i in all choices, top_k for each token (its experts of largest logits): these
    shares add up to 1. P_i is the mean over all tokens of the softmax over *all* experts. All leading
    dimensions together are the tokens; without any it is one token. (So Hugging Face's Mixtral, which counts
    f_i for each token, gives top_k times as much.)

    top_k is in 1 … num_experts. A token's logits may lie around 1000 or -1000; they differ from each other,
    by less than 100. The result is a scalar in the dtype of router_logits (float32 or float64). Gradients
    reach router_logits, through P only. router_logits is not modified. Nothing lands on the default device
    where router_logits is on another.
    """
    num_experts = router_logits.shape[-1]
    logits = router_logits.reshape(-1, num_experts)  # (tokens, num_experts)
    probabilities = logits.softmax(dim=-1).mean(dim=0)  # (num_experts): P
    chosen = logits.topk(top_k, dim=-1).indices  # (tokens, top_k)
    # A count has no gradient. P has, and falls where f is large: that is where the loss pushes.
    shares = F.one_hot(chosen, num_experts).to(logits.dtype).mean(dim=(0, 1))  # (num_experts): f
    return num_experts * (shares * probabilities).sum()
