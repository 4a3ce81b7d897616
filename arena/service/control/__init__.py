"""Running the arena: what the Control contract offers, without its transport.

port      the verbs; the service and the gRPC client both have them
service   carries them out on the store; its parts are registry, results and reference
messages  the store's dataclasses as messages of the contract
"""
