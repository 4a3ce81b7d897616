// How MyBot plays L.A.M.A.

// Returns one of view.actions.
export function choose(view) {
  const play = view.actions.find((action) => action.startsWith("play"));
  if (play) return play;
  if (view.actions.includes("quit") && view.penalty <= 6) return "quit";
  // After going out: which token to give back. The last is worth most.
  return view.actions.includes("draw") ? "draw" : view.actions.at(-1);
}
