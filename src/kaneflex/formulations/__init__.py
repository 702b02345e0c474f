"""Kane's equations solved for u-dot: dense and recursive, from the same stages."""
