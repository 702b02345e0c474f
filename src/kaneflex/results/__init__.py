"""What a run knows: named channels, the audit of its physics, and its file."""
