"""The status of the arena for its operators: problems, remedies and numbers."""
