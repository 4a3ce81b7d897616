package main

import (
	"testing"

	pb "mybot/contract"
)

func TestChoose(t *testing.T) {
	for _, each := range []struct {
		actions []string
		penalty uint32
		wanted  string
	}{
		{[]string{"draw", "play 4", "quit"}, 9, "play 4"},
		{[]string{"draw", "quit"}, 6, "quit"},
		{[]string{"draw", "quit"}, 7, "draw"},
		{[]string{"keep", "return 1", "return 10"}, 0, "return 10"},
	} {
		if chosen := choose(&pb.View{Actions: each.actions, Penalty: each.penalty}); chosen != each.wanted {
			t.Errorf("%v: chose %s, not %s", each.actions, chosen, each.wanted)
		}
	}
}
