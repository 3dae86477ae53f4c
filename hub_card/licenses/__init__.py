"""Texts of the licences that a release is under."""
