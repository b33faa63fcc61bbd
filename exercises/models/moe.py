"""Mixture of experts (MoE): a router picks a few of many feed-forward networks for each token.

As in Mixtral ("Mixtral of Experts", Jiang et al., 2024): the weights of all experts are there, but a token
pays for top_k of them only. A loss that evens out the experts' load comes with it, after that of the Switch
Transformer (Fedus et al., 2021). Nothing is forbidden. Where costs are counted, compute in torch, not in
NumPy.
"""

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
        raise NotImplementedError

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
        raise NotImplementedError


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
    raise NotImplementedError
