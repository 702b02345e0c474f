"""Kane's equations of a System in symbols, by running the kernels on symbols."""
