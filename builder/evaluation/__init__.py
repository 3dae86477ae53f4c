"""Runs a language model over a split through inspect-ai, which the extra ``eval`` installs."""
