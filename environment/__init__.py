"""Executes rounds of a plan: simulated tools, the careless agent, the oracle."""
