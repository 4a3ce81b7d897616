"""The wire protocol: generated stubs, and the conversion between views and messages."""
