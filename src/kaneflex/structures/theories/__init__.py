"""The beam and plate theories of the literature, as independent comparisons."""
