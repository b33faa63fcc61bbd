"""The built-ins that a topic can forbid, by family."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Builtin:
    """What `pytest.mark.forbid(name)` takes away: aten operators (all overloads), Python functions and
    methods (`module.function`, `module.Class.method`), and all functions and methods of whole modules (which
    can still be imported). Some kernels that differentiate are among the operators: what they give is the
    value (of relu's, for the gradient x) or shows it. Copies in Python of what torch has in kernels are known
    by `words` in their names.
    """

    operators: str
    functions: tuple[str, ...] = ()
    modules: str = ""
    words: str = ""


BUILTINS = {
    "softmax": Builtin(
        """
        softmax _softmax log_softmax _log_softmax special_softmax special_log_softmax _safe_softmax
        _masked_softmax _sparse_softmax _sparse_log_softmax _nested_tensor_softmax_with_shape
        _softmax_backward_data _log_softmax_backward_data
        """,
        ("torch.distributions.transforms.SoftmaxTransform._call",),
        words="softmax softmin",
    ),
    "logsumexp": Builtin(
        "logsumexp special_logsumexp logaddexp logaddexp2 logcumsumexp _logcumsumexp",
        ("numpy.logaddexp", "numpy.logaddexp2"),
        words="logsumexp logaddexp logcumsumexp",
    ),
    "scaled_dot_product_attention": Builtin(
        """
        scaled_dot_product_attention _scaled_dot_product_attention_math
        _scaled_dot_product_attention_math_for_mps _scaled_dot_product_cudnn_attention
        _scaled_dot_product_efficient_attention _scaled_dot_product_flash_attention
        _scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_fused_attention_overrideable
        _flash_attention_forward _flash_attention_forward_no_dropout_inplace _efficient_attention_forward
        _cudnn_attention_forward _triton_scaled_dot_attention
        _scaled_dot_product_flash_attention_for_cpu_backward
        """,
        ("torch.nn.attention.flex_attention.flex_attention",),
        words="attention sdpa",
    ),
    "multi_head_attention": Builtin(
        "_native_multi_head_attention _triton_multi_head_attention _transformer_encoder_layer_fwd",
        ("torch.nn.functional.multi_head_attention_forward",),
        words="multi_head multihead",
    ),
    "transformer_layers": Builtin(
        "_transformer_encoder_layer_fwd",
        tuple(
            f"torch.nn.modules.transformer.{kind}.{method}"
            for kind in (
                *("Transformer", "TransformerEncoder", "TransformerEncoderLayer"),
                *("TransformerDecoder", "TransformerDecoderLayer"),
            )
            for method in ("__init__", "forward")
        ),
    ),
    "flex_attention": Builtin(
        "", ("torch.nn.attention.flex_attention.flex_attention",), words="flex_attention"
    ),
    "mask_functions": Builtin(
        "",
        tuple(
            f"torch.nn.attention.flex_attention.{name}"
            for name in ("create_mask", "create_block_mask", "and_masks", "or_masks")
        ),
    ),
    "activations": Builtin(
        """
        sigmoid sigmoid_ special_expit tanh tanh_ relu relu_ relu6 relu6_ leaky_relu leaky_relu_ elu elu_
        celu celu_ selu selu_ silu silu_ gelu gelu_ mish mish_ glu hardsigmoid hardsigmoid_ hardswish
        hardswish_ hardtanh hardtanh_ threshold threshold_ hardshrink softshrink softplus log_sigmoid
        log_sigmoid_forward prelu _prelu_kernel rrelu rrelu_ rrelu_with_noise rrelu_with_noise_
        rrelu_with_noise_functional _foreach_sigmoid _foreach_sigmoid_ _foreach_tanh _foreach_tanh_
        sigmoid_backward tanh_backward threshold_backward leaky_relu_backward elu_backward silu_backward
        gelu_backward mish_backward glu_backward hardsigmoid_backward hardswish_backward hardtanh_backward
        hardshrink_backward softshrink_backward softplus_backward log_sigmoid_backward
        _prelu_kernel_backward rrelu_with_noise_backward infinitely_differentiable_gelu_backward
        _add_relu _add_relu_ lstm gru rnn_tanh rnn_relu lstm_cell gru_cell mkldnn_rnn_layer
        _thnn_fused_lstm_cell _thnn_fused_gru_cell
        """,
        (
            "torch.nn.functional.softsign",
            "torch.nn.functional.tanhshrink",
            "numpy.tanh",
            "math.tanh",
            "cmath.tanh",
        ),
    ),
    "dropout": Builtin(
        """
        dropout dropout_ native_dropout _fused_dropout alpha_dropout alpha_dropout_ feature_dropout
        feature_dropout_ feature_alpha_dropout feature_alpha_dropout_ native_dropout_backward
        """,
        words="dropout",
    ),
    "cross_entropy": Builtin(
        """
        cross_entropy_loss nll_loss nll_loss_nd nll_loss_forward nll_loss2d nll_loss2d_forward
        """,
        (
            "torch.nn.functional.cross_entropy",
            "torch.nn.functional.nll_loss",
            "torch.nn.functional.linear_cross_entropy",
            "torch.nn.modules.linear_cross_entropy._linear_cross_entropy_batch_chunked_accumulator",
        ),
        words="cross_entropy nll_loss",
    ),
    "binary_cross_entropy": Builtin(
        """
        binary_cross_entropy binary_cross_entropy_with_logits soft_margin_loss log_sigmoid
        log_sigmoid_forward softplus
        """,
        ("torch.nn.functional.multilabel_soft_margin_loss",),
        words="binary_cross_entropy soft_margin",
    ),
    "normalization": Builtin(
        """
        layer_norm native_layer_norm group_norm native_group_norm instance_norm rms_norm _fused_rms_norm
        batch_norm native_batch_norm _native_batch_norm_legit _native_batch_norm_legit_functional
        _native_batch_norm_legit_no_training _batch_norm_impl_index _batch_norm_no_update
        _batch_norm_with_update _batch_norm_with_update_functional cudnn_batch_norm miopen_batch_norm
        quantized_batch_norm batch_norm_update_stats batch_norm_stats batch_norm_elemt
        batch_norm_gather_stats batch_norm_gather_stats_with_counts native_layer_norm_backward
        native_group_norm_backward native_batch_norm_backward batch_norm_backward _fused_rms_norm_backward
        """,
        functions=("torch._refs._normalize",),
        words="layer_norm batch_norm group_norm instance_norm rms_norm mean_var",
    ),
    "heap_selection": Builtin(
        "",
        ("heapq.nlargest", "heapq.nsmallest", "collections.Counter.most_common"),
    ),
    "optimizers": Builtin(
        """
        _fused_adam _fused_adam_ _fused_adamw _fused_adamw_ _fused_adagrad _fused_adagrad_ _fused_sgd
        _fused_sgd_
        """,
        modules="""
        torch.optim.optimizer torch.optim._functional torch.optim._adafactor torch.optim._muon
        torch.optim.adadelta torch.optim.adagrad torch.optim.adam torch.optim.adamax torch.optim.adamw
        torch.optim.asgd torch.optim.lbfgs torch.optim.nadam torch.optim.radam torch.optim.rmsprop
        torch.optim.rprop torch.optim.sgd torch.optim.sparse_adam
        """,
    ),
    "schedulers": Builtin("", modules="torch.optim.lr_scheduler torch.optim.swa_utils"),
    "initialization": Builtin("", modules="torch.nn.init"),
    "checkpointing": Builtin(
        "",
        # Not the whole module: it has imported what everything else needs, too.
        tuple(
            f"torch.utils.checkpoint.{name}"
            for name in (
                *("checkpoint", "checkpoint_sequential", "_checkpoint_without_reentrant_generator"),
                *("CheckpointFunction.forward", "CheckpointFunction.backward"),
                *("_checkpoint_hook", "_recomputation_hook", "_CheckpointFrame"),
            )
        ),
    ),
    "gradient_scaling": Builtin(
        "_amp_foreach_non_finite_check_and_unscale _amp_foreach_non_finite_check_and_unscale_"
        " _amp_update_scale _amp_update_scale_",
        modules="""
        torch.amp.grad_scaler torch.cuda.amp.grad_scaler torch.cpu.amp.grad_scaler
        torch.distributed.fsdp.sharded_grad_scaler
        """,
    ),
}
"""By the words that check files use in `pytest.mark.forbid`."""
