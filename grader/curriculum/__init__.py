"""What there is to learn: chapters and topics, and the exercises that are made from their solutions."""
