"""SymPy's KanesMethod again, on SymEngine: Kane's equations of what a user says in points, frames and speeds."""
