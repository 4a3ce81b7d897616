"""An arena on six hosts that have a network between them: `make hosts-test`."""
