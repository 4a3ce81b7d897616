"""Pages for iframes on other sites: a featured match, a looping replay, a leaderboard."""
