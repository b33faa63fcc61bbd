"""The built-ins that a topic can forbid, by family."""

from grader.worker.walls.builtins.builtin import Builtin, methods
from grader.worker.walls.builtins.layers import LAYERS

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
        # CTC's loss is the logsumexp of its alignments, and with one alignment the loss of the labels.
        "logsumexp special_logsumexp logaddexp logaddexp2 logcumsumexp _logcumsumexp ctc_loss _ctc_loss",
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
        (
            "torch.nn.functional.multi_head_attention_forward",
            *methods(
                "torch.ao.nn.quantizable.modules.activation", "MultiheadAttention", "__init__ _forward_impl"
            ),
        ),
        words="multi_head multihead",
    ),
    "transformer_layers": Builtin(
        "_transformer_encoder_layer_fwd",
        methods(
            "torch.nn.modules.transformer",
            "Transformer TransformerEncoder TransformerEncoderLayer TransformerDecoder"
            " TransformerDecoderLayer",
            "__init__ forward",
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
        sigmoid sigmoid_ special_expit tanh tanh_ tan tan_ _foreach_tan _foreach_tan_
        relu relu_ relu6 relu6_ leaky_relu leaky_relu_ elu elu_
        celu celu_ selu selu_ silu silu_ gelu gelu_ mish mish_ glu hardsigmoid hardsigmoid_ hardswish
        hardswish_ hardtanh hardtanh_ threshold threshold_ hardshrink softshrink softplus log_sigmoid
        log_sigmoid_forward prelu _prelu_kernel rrelu rrelu_ rrelu_with_noise rrelu_with_noise_
        rrelu_with_noise_functional _foreach_sigmoid _foreach_sigmoid_ _foreach_tanh _foreach_tanh_
        sigmoid_backward tanh_backward threshold_backward leaky_relu_backward elu_backward silu_backward
        gelu_backward mish_backward glu_backward glu_jvp glu_backward_jvp hardsigmoid_backward
        hardswish_backward hardtanh_backward
        hardshrink_backward softshrink_backward softplus_backward log_sigmoid_backward
        _prelu_kernel_backward rrelu_with_noise_backward infinitely_differentiable_gelu_backward
        _add_relu _add_relu_ lstm gru rnn_tanh rnn_relu lstm_cell gru_cell mkldnn_rnn_layer
        _thnn_fused_lstm_cell _thnn_fused_gru_cell soft_margin_loss soft_margin_loss_backward
        binary_cross_entropy_with_logits
        """,
        (
            "torch.nn.functional.softsign",
            "torch.nn.functional.tanhshrink",
            "numpy.tanh",
            "math.tanh",
            "cmath.tanh",
            "numpy.tan",  # of an imaginary number it is tanh
            "cmath.tan",
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
        cross_entropy_loss nll_loss nll_loss_nd nll_loss_forward nll_loss2d nll_loss2d_forward ctc_loss
        _ctc_loss
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
        functions=("torch._refs._normalize", "torch.nn.functional.local_response_norm"),
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
    "clipping": Builtin(
        "",
        tuple(
            f"torch.nn.utils.clip_grad.{name}"
            for name in (
                *("clip_grad_norm_", "clip_grad_norm", "clip_grad_value_", "get_total_norm"),
                *("_get_total_norm", "clip_grads_with_norm_", "_clip_grads_with_norm_"),
            )
        )
        + methods(
            "torch.distributed.fsdp.fully_sharded_data_parallel",
            "FullyShardedDataParallel",
            "clip_grad_norm_",
        ),
    ),
    "decompositions": Builtin(
        """
        svd linalg_svd _linalg_svd linalg_svdvals linalg_eig _linalg_eigvals linalg_eigvals linalg_eigh
        _linalg_eigh linalg_eigvalsh qr linalg_qr geqrf orgqr ormqr linalg_householder_product cholesky
        linalg_cholesky linalg_cholesky_ex cholesky_inverse cholesky_solve _cholesky_solve_helper
        linalg_lu linalg_lu_factor linalg_lu_factor_ex linalg_lu_solve _lu_with_info lu_solve lu_unpack
        linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve linalg_solve linalg_solve_ex
        _linalg_solve_ex linalg_solve_triangular triangular_solve linalg_tensorsolve linalg_inv
        linalg_inv_ex inverse linalg_tensorinv pinverse linalg_pinv linalg_lstsq matrix_exp
        linalg_matrix_exp matrix_exp_backward _compute_linear_combination _spsolve _linalg_det
        _linalg_slogdet
        """,
        (
            # What the functions of `numpy.linalg` call, also its norms and what was imported from it.
            *(
                f"numpy.linalg._umath_linalg.{name}"
                for name in (
                    *("cholesky_lo", "cholesky_up", "eig", "eigh_lo", "eigh_up", "eigvals", "eigvalsh_lo"),
                    *("eigvalsh_up", "inv", "lstsq", "qr_complete", "qr_r_raw", "qr_reduced", "solve"),
                    *("solve1", "svd", "svd_f", "svd_s"),
                )
            ),
            *(
                f"numpy.linalg.lapack_lite.{name}"
                for name in ("dgelsd", "dgeqrf", "dorgqr", "zgelsd", "zgeqrf", "zungqr")
            ),
            *("scipy.linalg.lapack.get_lapack_funcs", "scipy.linalg.lapack._get_funcs"),
        ),
        modules="""
        scipy.linalg scipy.linalg._decomp scipy.linalg._decomp_svd scipy.linalg._decomp_qr
        scipy.linalg._decomp_polar scipy.linalg._matfuncs scipy.linalg._basic scipy.sparse.linalg
        """,
    ),
    "autograd": Builtin(
        "_make_dual",
        (
            *("torch.autograd.backward", "torch.autograd.grad", "torch.autograd.graph._engine_run_backward"),
            "torch._tensor.Tensor.backward",
            *(
                f"torch.autograd.functional.{name}"
                for name in ("vjp", "jvp", "jacobian", "hessian", "vhp", "hvp")
            ),
            *("torch.autograd.forward_ad.make_dual", "torch.autograd.forward_ad.enter_dual_level"),
            *("torch._functorch.apis.grad", "torch._functorch.apis.grad_and_value"),
            *(
                f"torch._functorch.eager_transforms.{name}"
                for name in ("vjp", "jvp", "jacrev", "jacfwd", "hessian", "linearize", "grad_impl")
            ),
            *("torch._functorch.eager_transforms.grad_and_value_impl", "torch.distributed.autograd.backward"),
        ),
        differentiates=True,
    ),
    "quantization": Builtin(
        """
        quantize_per_tensor quantize_per_tensor_dynamic quantize_per_channel fake_quantize_per_tensor_affine
        fake_quantize_per_tensor_affine_cachemask _fake_quantize_per_tensor_affine_cachemask_tensor_qparams
        fake_quantize_per_channel_affine fake_quantize_per_channel_affine_cachemask
        _fake_quantize_learnable_per_tensor_affine _fake_quantize_learnable_per_channel_affine
        fused_moving_avg_obs_fake_quant _fused_moving_avg_obs_fq_helper
        _fused_moving_avg_obs_fq_helper_functional fbgemm_linear_quantize_weight
        fbgemm_pack_quantized_matrix fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation
        _make_per_tensor_quantized_tensor _make_per_channel_quantized_tensor _empty_affine_quantized
        _empty_per_channel_affine_quantized empty_quantized
        """,
        modules="torch.ao.quantization.fake_quantize torch.ao.quantization.observer",
        words="quantize",
    ),
    **LAYERS,
}
"""By the words that check files use in `pytest.mark.forbid`."""
