"""Training sets from scored answers: SFT examples and DPO pairs, in the shapes that TRL takes."""
