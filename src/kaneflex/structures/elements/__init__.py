"""Finite elements, one kind per file; each file gives stiffness, mass, geometric stiffness and recovery of loads."""
