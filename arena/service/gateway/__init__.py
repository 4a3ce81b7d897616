"""The gRPC server that bots connect to.

server      starts and drains one gateway       auth       who is calling
play        the bots' stream                    control    the organisers' calls
submissions uploads of hosted bots              blocking_calls   calls that threads carry out
hello       what a bot may announce             limits     what strangers may take up, at most
sessions/   who has what open here: sans-IO     session_io, stream_writer   the IO around it
inbox       deliveries from the workers         outbox     replies to them
heartbeat   keeps what Redis knows of it alive  health     tells load balancers whether it does
metrics     counters for Prometheus
"""
