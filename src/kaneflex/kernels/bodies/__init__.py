"""Kinds of bodies, one file each; `contract` says what a file must hold."""
