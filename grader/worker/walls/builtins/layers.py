"""The families of layers that hold weights, and of what cuts images into patches."""

from grader.worker.walls.builtins.builtin import Builtin, methods

LAYERS = {
    "linear": Builtin(
        """
        linear bilinear _trilinear mkldnn_linear linear_backward mkldnn_linear_backward
        mkldnn_linear_backward_input mkldnn_linear_backward_weights _sparse_semi_structured_linear
        _mixed_dtypes_linear fbgemm_linear_fp16_weight fbgemm_linear_fp16_weight_fp32_activation
        fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation
        _wrapped_quantized_linear_prepacked
        """,
        methods("torch.nn.modules.linear", "Linear Bilinear LazyLinear", "__init__ reset_parameters forward"),
    ),
    "embedding": Builtin(
        """
        embedding embedding_renorm embedding_renorm_ embedding_bag _embedding_bag
        _embedding_bag_forward_only embedding_backward embedding_dense_backward embedding_sparse_backward
        _embedding_bag_backward _embedding_bag_dense_backward _embedding_bag_sparse_backward
        _embedding_bag_per_sample_weights_backward
        """,
        methods(
            "torch.nn.modules.sparse",
            "Embedding EmbeddingBag",
            "__init__ reset_parameters forward from_pretrained",
        ),
        words="embedding",
    ),
    "convolution": Builtin(
        """
        conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution
        _convolution _convolution_mode convolution_overrideable _convolution_double_backward
        convolution_backward convolution_backward_overrideable conv_tbc_backward mkldnn_convolution
        thnn_conv2d _slow_conv2d_forward _slow_conv2d_backward slow_conv3d slow_conv3d_forward
        slow_conv_dilated2d slow_conv_dilated3d slow_conv_transpose2d slow_conv_transpose3d
        _conv_depthwise2d conv_depthwise3d _nnpack_spatial_convolution cudnn_convolution
        cudnn_convolution_transpose cudnn_convolution_relu cudnn_convolution_add_relu miopen_convolution
        miopen_convolution_transpose miopen_depthwise_convolution miopen_convolution_relu
        miopen_convolution_add_relu _mps_convolution _mps_convolution_transpose mps_convolution_backward
        mps_convolution_transpose_backward
        """,
        (
            *methods(
                "torch.nn.modules.conv",
                "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
                "__init__ forward _conv_forward",
            ),
            *("numpy.convolve", "numpy.correlate"),
            *("numpy._core.multiarray.correlate", "numpy._core.multiarray.correlate2"),
        ),
        words="convolution conv1d conv2d conv3d conv_transpose conv_unfold conv_forward conv_backward",
    ),
    "recurrent": Builtin(
        """
        lstm gru rnn_tanh rnn_relu lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell quantized_lstm
        quantized_gru quantized_lstm_cell quantized_gru_cell quantized_rnn_relu_cell
        quantized_rnn_tanh_cell mkldnn_rnn_layer mkldnn_rnn_layer_backward _thnn_fused_lstm_cell
        _thnn_fused_gru_cell _thnn_fused_lstm_cell_backward _thnn_fused_lstm_cell_backward_impl
        _thnn_fused_gru_cell_backward _thnn_differentiable_lstm_cell_backward
        _thnn_differentiable_gru_cell_backward _cudnn_rnn _cudnn_rnn_backward miopen_rnn
        miopen_rnn_backward _lstm_mps lstm_mps_backward
        """,
        (
            *methods(
                "torch.nn.modules.rnn",
                "RNNBase RNN LSTM GRU RNNCellBase RNNCell LSTMCell GRUCell",
                "__init__ reset_parameters forward",
            ),
            *methods("torch.ao.nn.quantizable.modules.rnn", "LSTM LSTMCell", "__init__ forward"),
        ),
        words="lstm gru rnn",
    ),
    "im2col": Builtin(
        "im2col col2im pixel_shuffle pixel_unshuffle",
        words="im2col col2im pixel_shuffle pixel_unshuffle",
    ),
}
