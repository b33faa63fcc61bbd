"""Known wrong versions of `reward_model_loss` whose places are numbers of too few bits."""

from grader.kit import Mistake

PLACES = "places = torch.arange(mask.shape[1], device=mask.device)"

MISTAKES = [
    Mistake(
        f"places-in-{dtype}",
        find=PLACES,
        replace=f"{PLACES}.to(torch.{dtype})",
        says=f"In long answers you pick another token, as if places were counted in {dtype}: {why}. Leave "
        "them int64, as torch.arange gives them.",
    )
    for dtype, why in (
        ("uint8", "255 is the last one there, and the next is 0 again"),
        ("int8", "127 is the last one there, and the next is -128"),
        ("int16", "32,767 is the last one there, and the next is -32,768"),
        ("bfloat16", "from 256 on not every integer is a number there, and neighbours become the same"),
        ("float16", "from 2048 on not every integer is a number there, and neighbours become the same"),
    )
]
