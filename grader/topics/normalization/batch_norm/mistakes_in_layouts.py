"""Known wrong versions of `batch_norm` that take numbers of an image for those of another channel."""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import right_once

MISTAKES = [
    *right_once(
        "self.weight.view(columns) * normalized + self.bias.view(columns)",
        imports="from torch import Tensor, nn\n",
    ),
    Mistake(
        "channels-counted-along-the-width",
        find="        dims = [dim for dim in range(x.dim()) if dim != 1]  # all but the channels\n",
        replace="""\
        shape = x.shape
        if x.dim() == 4:
            x = x.reshape(-1, shape[1], shape[3])
        dims = [dim for dim in range(x.dim()) if dim != 1]
""",
        also=(
            (
                "        return self.weight.view(columns) * normalized + self.bias.view(columns)\n",
                "        y = self.weight.view(columns) * normalized + self.bias.view(columns)\n"
                "        return y.reshape(shape)\n",
            ),
        ),
        says="For images the channel changes after each row of `width` numbers in your answer, not after "
        "height * width of them, so that channels are mixed. Of a flat image the first height * width "
        "numbers are channel 0, the next ones channel 1.",
    ),
]
