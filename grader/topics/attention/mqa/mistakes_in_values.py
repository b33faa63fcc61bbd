"""Known wrong versions of `mqa`: whose values the weights are for."""

from grader.kit.families.attention.mistakes import layout_mistakes

MISTAKES = [layout_mistakes.value_of_the_querys_own_place("context = weights @ value")]
