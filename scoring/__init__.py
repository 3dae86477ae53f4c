"""Scores answers to damaged plans by the SDE rubric; needs the standard library only.

``python -m scoring --rows ROWS --predictions PRED`` from a copy of this folder is all that
it takes. See ``docs/rubric.md`` for what each item asks and how it is decided.
"""
