"""The prompts of the LLM judge; see `scoring.llm_judge`."""
