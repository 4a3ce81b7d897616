package main

import (
	"strings"

	pb "mybot/contract"
)

// choose returns one of view.Actions; play.proto explains the fields of a view.
func choose(view *pb.View) string {
	actions := view.GetActions()
	for _, action := range actions {
		if strings.HasPrefix(action, "play") {
			return action
		}
	}
	if offered(actions, "quit") && view.GetPenalty() <= 6 {
		return "quit"
	}
	if offered(actions, "draw") {
		return "draw"
	}
	// After going out: which token to give back. The last is worth most.
	return actions[len(actions)-1]
}

func offered(actions []string, wanted string) bool {
	for _, action := range actions {
		if action == wanted {
			return true
		}
	}
	return false
}
