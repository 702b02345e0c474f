"""The linearly implicit method with the exact tangent: where loads on bodies are stiff, as those of the ground."""

from dataclasses import replace

from kaneflex.simulate.methods.ros34pw2 import ROS34PW2

#: Its coefficients as they are, the Jacobian in the place of what joints and tension have of it.
ROS34PW2_EXACT = replace(ROS34PW2, name="ros34pw2-exact", exact_tangent=True)
