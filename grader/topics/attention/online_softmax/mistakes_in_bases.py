"""Known wrong versions of `online_softmax`: exponentials of two bases, or of another one than e."""

from grader.kit.families.attention.mistakes.base_mistakes import other_bases

MISTAKES = other_bases("np.exp(scores - new_largest)", "np.exp(largest - new_largest)")
