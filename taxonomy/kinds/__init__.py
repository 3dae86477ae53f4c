"""One module a kind; each defines ``KIND`` and knows nothing of the others."""
