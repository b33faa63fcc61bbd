"""Class weights from the frequencies of the labels: rare classes get more weight in a loss.

They are what F.cross_entropy takes as `weight`. "balanced" is scikit-learn's rule, inspired by "Logistic
Regression in Rare Events Data" (King and Zeng 2001). Nothing is forbidden.
"""

from jaxtyping import Float, Int
from torch import Tensor


def class_weights(
    labels: Int[Tensor, "n"], num_classes: int, method: str = "balanced"
) -> Float[Tensor, "num_classes"]:
    """A weight for each of the classes 0 to num_classes - 1; count is the number of labels of that class.

    method: "balanced" is n / (num_classes * count), with n the number of all labels and num_classes as given,
        also where some classes do not occur; "inverse" is 1 / count. Anything else raises a ValueError (or
        AssertionError).
    A class that does not occur, be it between the others or beyond the largest label, gets 0.

    labels: one or more, all of them classes, as uint8, int8, int16, int32 or int64. num_classes fits into
        their dtype, but a class may have more labels than it can count. They are not modified.
    The weights have the default float dtype (torch.get_default_dtype() at the time of the call: float32 or
    float64), and are on the device of the labels, whatever the default device is.
    """
    raise NotImplementedError
