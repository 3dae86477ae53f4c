"""Assembles a release: a folder laid out exactly as its repository on the Hub will be."""

from builder.release.assembly import assemble
from builder.release.request import Request

__all__ = ["Request", "assemble"]
