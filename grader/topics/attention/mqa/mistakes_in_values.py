"""Known wrong versions of `mqa`: whose values the weights are for."""

from grader.kit.families.attention.mistakes import value_mistakes

MISTAKES = [value_mistakes.of_the_querys_own_place("context = weights @ value")]
