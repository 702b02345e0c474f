"""The formulation `"cartesian"`: points and unit vectors, shared between bodies, as coordinates."""
