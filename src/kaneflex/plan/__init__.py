"""From a model to the flat tables that kernels read."""
