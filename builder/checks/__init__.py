"""What a release is checked for; `builder.verify` puts the checks together."""
