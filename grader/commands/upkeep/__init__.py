"""Commands that carry progress elsewhere, and bring newer versions."""
