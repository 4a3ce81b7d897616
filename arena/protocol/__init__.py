"""The wire contract: generated stubs and the codec between views and messages."""
