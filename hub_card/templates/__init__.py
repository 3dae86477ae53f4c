"""The text of a card, with places for what differs from release to release."""
