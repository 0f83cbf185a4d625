"""What ./dev is made of."""
