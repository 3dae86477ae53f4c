"""The release's card, tables, figures, manifest and push; nothing here yet."""
