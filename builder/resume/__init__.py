"""Builds that can be killed: whole files, fingerprints, and a claim on the output folder."""
