"""Looking at a run: static figures and the report page. Heavy imports happen inside the functions."""
