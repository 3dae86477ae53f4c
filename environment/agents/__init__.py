"""Built-in agents: a state in, a thought and a plan out."""
