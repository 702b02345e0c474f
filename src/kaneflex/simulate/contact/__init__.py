"""Contacts of a run: points that strike planes, slide and stick on them, and leave.

`states` has the states and the one table of transitions between them, `thresholds` every number that decides. `contacts`
is what a segment of a run calls; `closed` resolves the contacts of one instant by the `friction_law`, `impacts` those that
strike by the `impact_law`.
"""
