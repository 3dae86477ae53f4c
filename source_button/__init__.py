"""BUTTON trajectories in, clean plans out; and synthesis of such trajectories."""
