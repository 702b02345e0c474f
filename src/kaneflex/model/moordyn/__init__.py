"""Mooring lines from MoorDyn's input files, version 2, and back."""
