"""What a model says without a simulation: linear models, equilibria, modes."""
