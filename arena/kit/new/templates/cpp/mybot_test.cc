// ctest --test-dir build
#include <cstdlib>
#include <initializer_list>
#include <iostream>

#include "choose.h"

void expect(std::initializer_list<const char*> actions, unsigned penalty, const char* wanted) {
  arena::v1::View view;
  for (const char* action : actions) view.add_actions(action);
  view.set_penalty(penalty);
  if (const std::string chosen = choose(view); chosen != wanted) {
    std::cerr << "chose " << chosen << ", not " << wanted << "\n";
    std::exit(1);
  }
}

int main() {
  expect({"draw", "play 4", "quit"}, 9, "play 4");
  expect({"draw", "quit"}, 6, "quit");
  expect({"draw", "quit"}, 7, "draw");
  expect({"keep", "return 1", "return 10"}, 0, "return 10");
}
