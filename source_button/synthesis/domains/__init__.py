"""One file per field of work; each exports `DOMAIN`. The registry walks this folder."""
