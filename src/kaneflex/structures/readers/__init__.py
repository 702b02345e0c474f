"""Readers of finite-element models: one file for each kind of file, and what they share."""
