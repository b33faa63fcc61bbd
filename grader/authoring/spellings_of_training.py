"""The spellings of what trains a model: how it starts, and what steps."""

SPELLINGS_OF_TRAINING = {
    "optimizers": [
        "torch.optim.Adam([nn.Parameter(x)])",
        "torch.optim.SGD([nn.Parameter(x)], lr=0.1).step()",
        "getattr(importlib.import_module('torch.optim'), 'Adam' + 'W')([nn.Parameter(x)])",
        "importlib.import_module('torch.optim.lbfgs').LBFGS([nn.Parameter(x)])",
        "torch.optim.Adam.step(nn.Module())",
        "torch.optim.Adam.__new__(torch.optim.Adam).step()",
        "type('Own', (torch.optim.Optimizer,), {})([nn.Parameter(x)], {})",
        "functools.partial(torch.optim.Muon, lr=0.1)([nn.Parameter(x[0])])",
        "torch.optim._functional.adam([x], [x], [x], [x], [], [x], foreach=False)",
        "importlib.import_module('torch.optim.adam')._single_tensor_adam([x], [x], [x], [x], [], [x])",
        "importlib.reload(importlib.import_module('torch.optim.adam')).adam([x], [x], [x], [x], [], [x])",
        "torch._fused_adam_([x], [x], [x], [x], [], [torch.tensor(1.0)], lr=0.1, beta1=0.9, beta2=0.9,"
        " weight_decay=0.0, eps=0.1, amsgrad=False, maximize=False)",
        "torch._fused_adamw_([x], [x], [x], [x], [], [torch.tensor(1.0)], lr=0.1, beta1=0.9, beta2=0.9,"
        " weight_decay=0.0, eps=0.1, amsgrad=False, maximize=False)",
        "torch.ops.aten._fused_adam([x], [x], [x], [x], [], [torch.tensor(1.0)], lr=0.1, beta1=0.9,"
        " beta2=0.9, weight_decay=0.0, eps=0.1, amsgrad=False, maximize=False)",
        "torch._fused_sgd_([x], [x], [x], weight_decay=0.0, momentum=0.0, lr=0.1, dampening=0.0,"
        " nesterov=False, maximize=False, is_first_step=True)",
        "torch._fused_adagrad_([x], [x], [x], [torch.tensor(1.0)], lr=0.1, lr_decay=0.0, weight_decay=0.0,"
        " eps=0.1, maximize=False)",
    ],
    "schedulers": [
        "torch.optim.lr_scheduler.CosineAnnealingLR(object(), 7)",
        "torch.optim.lr_scheduler.LambdaLR(object(), print)",
        "torch.optim.lr_scheduler.CosineAnnealingLR._get_closed_form_lr(nn.Module())",
        "torch.optim.lr_scheduler.CosineAnnealingLR.get_lr(nn.Module())",
        "getattr(importlib.import_module('torch.optim.lr_scheduler'), 'LinearLR')(object())",
        "torch.optim.lr_scheduler.LinearLR.__new__(torch.optim.lr_scheduler.LinearLR).get_lr()",
        "type('Own', (torch.optim.lr_scheduler.LRScheduler,), {})(object())",
        "importlib.import_module('torch.optim.swa_utils').SWALR(object(), 0.1)",
    ],
    "initialization": [
        "nn.init.xavier_uniform_(x[0])",
        "nn.init.kaiming_normal_(x[0])",
        "nn.init.normal_(x)",
        "nn.init.zeros_(x)",
        "nn.init.xavier_normal(x[0])",
        "nn.init._no_grad_uniform_(x, 0.0, 1.0)",
        "getattr(importlib.import_module('torch.nn.init'), 'xavier' + '_uniform_')(x[0])",
        "importlib.reload(importlib.import_module('torch.nn.init')).normal_(x)",
        "functools.partial(nn.init.trunc_normal_, std=0.02)(x)",
        "vars(nn.modules.activation)['xavier_uniform_'](x[0])",
        "nn.Linear(3, 2)",
        "nn.Embedding(3, 2)",
        "nn.LayerNorm(3)",
        "nn.MultiheadAttention(4, 2)",
        "nn.utils.skip_init(nn.Linear, 3, 2).reset_parameters()",
    ],
    "checkpointing": [
        "torch.utils.checkpoint.checkpoint(torch.exp, x, use_reentrant=False)",
        "torch.utils.checkpoint.checkpoint(torch.exp, x, use_reentrant=True)",
        "torch.utils.checkpoint.CheckpointFunction.apply(torch.exp, True, x)",
        "torch.utils.checkpoint.checkpoint_sequential(nn.Sequential(nn.Tanh(), nn.Tanh()), 2, x,"
        " use_reentrant=False)",
        "getattr(importlib.import_module('torch.utils.checkpoint'), 'check' + 'point')(torch.exp, x)",
        "importlib.reload(importlib.import_module('torch.utils.checkpoint')).checkpoint(torch.exp, x)",
    ],
    "gradient_scaling": [
        "torch.amp.GradScaler('cpu')",
        "torch.cuda.amp.GradScaler()",
        "torch.GradScaler('cpu')",
        "torch.amp.grad_scaler.GradScaler.scale(object(), x)",
        "type('Own', (torch.amp.GradScaler,), {})('cpu')",
        "torch._amp_foreach_non_finite_check_and_unscale_([x], torch.zeros(1), torch.ones(1))",
        "torch.ops.aten._amp_update_scale_(torch.ones(1), torch.ones(1).int(), torch.zeros(1), 2.0, 0.5, 3)",
    ],
    "quantization": [
        "torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)",
        "torch.quantize_per_tensor_dynamic(x, torch.qint8, False)",
        "torch.quantize_per_channel(x, torch.ones(2), torch.zeros(2), 0, torch.qint8)",
        "torch.ops.aten.quantize_per_tensor(x, 0.1, 0, torch.qint8)",
        "torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -127, 127)",
        "torch.fake_quantize_per_channel_affine(x, torch.ones(2), torch.zeros(2), 0, -127, 127)",
        "torch._fake_quantize_learnable_per_tensor_affine(x, torch.ones(1), torch.zeros(1), -127, 127, 1.0)",
        "torch.ao.quantization.MinMaxObserver()(x)",
        "torch.ao.quantization.FakeQuantize()(x)",
        "torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(4, 3)))",
        "importlib.import_module('torch.ao.quantization.fx._decomposed').quantize_per_tensor("
        "x, 0.1, 0, -127, 127, torch.int8)",
        "torch.ops.aten._empty_affine_quantized([2, 3, 4], scale=0.1, zero_point=0, dtype=torch.qint8)",
        "torch.ops.aten._empty_per_channel_affine_quantized([2, 3, 4], scales=torch.ones(2),"
        " zero_points=torch.zeros(2).long(), axis=0, dtype=torch.qint8)",
        "torch.ao.nn.quantized.Quantize(0.1, 0, torch.qint8)(x)",
        "torch.ao.nn.quantized.dynamic.Linear(4, 3)(x)",
    ],
}
