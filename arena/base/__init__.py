"""What every package may use: errors, settings, logs and the like. It imports nothing of the
arena."""
