"""What an arena of a given size needs: from measured costs to cores, memory, disks and money.

costs       what was measured: CPU time of a message and of a decision, bytes of a match
fit         such costs from the points of `arena bench growth`
plan        a demand and costs make a plan; which part saturates first
queueing    the same as a simulation of waiting lines, to check the plan beyond one machine
"""

from arena.capacity.costs import Costs, StationCost, measured
from arena.capacity.plan import Demand, Plan, Prices, plan

__all__ = ["Costs", "Demand", "Plan", "Prices", "StationCost", "measured", "plan"]
