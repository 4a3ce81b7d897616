"""The full gRPC names of the services."""

from arena.protocol.v1 import control_pb2, play_pb2, submissions_pb2

PLAY = play_pb2.DESCRIPTOR.services_by_name["Play"].full_name
CONTROL = control_pb2.DESCRIPTOR.services_by_name["Control"].full_name
SUBMISSIONS = submissions_pb2.DESCRIPTOR.services_by_name["Submissions"].full_name
ALL = (PLAY, CONTROL, SUBMISSIONS)
