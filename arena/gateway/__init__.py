"""The gRPC server that bots connect to.

server      starts and drains one gateway       auth       who is calling
play        the bots' stream                    control    the organisers' calls
hello       what a bot may announce             session    one open stream
limits      what strangers may take up, at most
desk        what one player has open here       floor      all desks, and the move clock
inbox       mail from the workers               outbox     replies to them
heartbeat   tells Redis that all this is here   metrics    counters for Prometheus
"""
