"""What every command may meet; apart from the database, because not every command loads that."""


class ProgressUnavailable(Exception):
    """Progress cannot be read or written; the message is a sentence for the learner."""
