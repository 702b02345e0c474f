"""Robots described by URDF files."""
