"""`headrace plan`: what would happen in one collective call."""
