"""The release's tables and manifest; its card, figures and push are to come."""
