"""Known wrong versions of `encoder_layer` that keep something for the next call, or for other instances."""

from dataclasses import replace

from grader.kit.families.instance_mistakes import IMPORT_TORCH, kept_on_the_class, weights_kept

ORDER = "        self.norm_first = norm_first\n"
ACTIVATION = "        self.activation = _ACTIVATIONS[activation]\n"
SHARED = ACTIVATION.replace("self.", "type(self).").replace("= ", "= staticmethod(").replace("]\n", "])\n")

MISTAKES = [
    weights_kept("self.q_proj(x)", also=IMPORT_TORCH),
    kept_on_the_class(ORDER, "the order of the norms"),
    replace(kept_on_the_class(ACTIVATION, "the activation", kept=SHARED), id="activation-kept-on-the-class"),
    replace(
        kept_on_the_class(ORDER, "their configuration", also=((ACTIVATION, SHARED),)),
        id="configuration-kept-on-the-class",
    ),
]
