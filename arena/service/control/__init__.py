"""The Control API without its transport.

port      the interface of the service and of the gRPC client
service   its implementation on the store; the parts are registry, results and reference
messages  tournaments, bots and results as messages of control.proto
"""
