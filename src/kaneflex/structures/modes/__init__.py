"""Component modes: vibration modes and static shapes, reduction, and the integrals that a modal body is made of."""
