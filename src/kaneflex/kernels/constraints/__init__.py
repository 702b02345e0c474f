"""Constraints, one kind per file.

An equation of a constraint says, at the level of speeds, that

    sum over attachments (torque . omega + force . v) + sum over terms c w + b(t) = 0 ,                           (1)

the wrench (torque about the origin of M, force) being in body axes: it is also what a unit multiplier does to the body
(Kane's equations with undetermined multipliers: F_r + F*_r + sum lambda J_r = 0). A kind writes, for each of its
equations, the wrenches, the value of the equation in the coordinates that (1) is the derivative of (if there is one),
b, and gamma: what the time derivative of (1) has besides the rates of speeds. Wrenches of action and reaction sum to
zero, the inertial frame's included, so that uniform gravity may stand as an acceleration of that frame.
"""
