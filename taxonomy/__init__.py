"""The fourteen error kinds, one file each, and their registry."""
