"""The embedded source: a seeded, offline synthesiser of trajectories in BUTTON's format.

synthesize(n, seed=0)        lines 0..n-1 as bytes, each {"messages": [...]}
synthesize_one(i, seed=0)    line i alone
truth(i, seed=0)             its true edges
wishes(i, seed=0)            the query's sentences, and the calls that each asks for
read_catalogue()             domains, tools and steps it is composed of
"""

from source_button.synthesis.registry import Catalogue, CatalogueError, read_catalogue
from source_button.synthesis.trajectory import synthesize, synthesize_one, truth, wishes

__all__ = [
    "Catalogue",
    "CatalogueError",
    "read_catalogue",
    "synthesize",
    "synthesize_one",
    "truth",
    "wishes",
]
