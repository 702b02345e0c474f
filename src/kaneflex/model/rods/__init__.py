"""Rods and cables: chains of segments with springs between them, declared by one call."""
