"""What the user says: bodies, joints, frames, loads, as frozen declarations."""
