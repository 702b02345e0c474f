"""Models from SDF files."""
