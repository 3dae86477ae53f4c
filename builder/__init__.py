"""Builds levels: recipes, rows, quotas, splits, files and the commands."""
