"""What happens when something runs for a while: steps of training, a second forward pass, a scheduler."""
