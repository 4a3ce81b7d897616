"""The Control API without its transport.

port      the interface of the service and of the gRPC client
service   its implementation on the store; its other files are parts and results
messages  tournaments, bots and results as messages of control.proto
"""
