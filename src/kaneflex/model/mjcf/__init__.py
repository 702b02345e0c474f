"""Models from files of MuJoCo."""
