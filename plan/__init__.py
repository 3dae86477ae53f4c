"""Tools, tasks, plans, references, observations and rows, and questions to their DAG."""
