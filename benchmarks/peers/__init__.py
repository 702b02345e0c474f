"""Other multibody engines behind one small interface, for comparison in benchmarks.

`tree` describes a rigid tree in neutral arrays; each `*_peer` module builds it in one engine and offers the same three
questions: the accelerations of a state, the time of one evaluation, and the part of it that is the Python binding's.
Each engine is imported by its own module only, so that one can be missing.
"""
