"""Certificates: proves a row's labels with code that shares nothing with the injectors."""
