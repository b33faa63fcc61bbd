"""What is typed into the editor."""

from driving import PROJECT

SDPA = (PROJECT / "solutions" / "attention" / "sdpa.py").read_text(encoding="utf-8")
UNSCALED = SDPA.replace("scale = 1 / math.sqrt(query.shape[-1])", "scale = 1.0")
RIGHT = (PROJECT / "solutions" / "foundations" / "softmax.py").read_text(encoding="utf-8")
NAN = (PROJECT / "tests" / "golden" / "softmax" / "nan.py").read_text(encoding="utf-8")
