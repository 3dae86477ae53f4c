"""What to say where a package of the extra ``hub`` isn't installed."""

from __future__ import annotations


class NotInstalled(Exception):
    """A package of an extra is missing.

    Attributes:
        where, found, expected, remedy: for the user.
    """

    def __init__(self, package: str, purpose: str) -> None:
        self.where = purpose
        self.found = f"the package {package} isn't installed"
        self.expected = "the packages of the extra hub"
        self.remedy = "pip install 'pararecover[hub]'"
        super().__init__(f"{self.where}: {self.found}; {self.remedy}")
