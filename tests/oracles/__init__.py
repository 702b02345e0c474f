"""Independent solutions to test against: closed forms, hand-derived equations and SymPy's KanesMethod.

One oracle a file. None of them imports the package under test, so that an error cannot hide in both places.
"""
