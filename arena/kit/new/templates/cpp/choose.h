// How mybot plays L.A.M.A.
#pragma once

#include <algorithm>
#include <string>

#include "play.pb.h"

// Returns one of view.actions(); play.proto explains the fields of a view.
inline std::string choose(const arena::v1::View& view) {
  const auto& actions = view.actions();
  for (const std::string& action : actions)
    if (action.rfind("play", 0) == 0) return action;
  auto offered = [&](const char* wanted) {
    return std::find(actions.begin(), actions.end(), wanted) != actions.end();
  };
  if (offered("quit") && view.penalty() <= 6) return "quit";
  // After going out: which token to give back. The last is worth most.
  return offered("draw") ? "draw" : actions[actions.size() - 1];
}
