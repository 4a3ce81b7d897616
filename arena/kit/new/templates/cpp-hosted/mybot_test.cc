// make test
#include <cstdlib>
#include <initializer_list>
#include <iostream>

#include "choose.h"

void expect(const std::string& chosen, const std::string& wanted) {
  if (chosen == wanted) return;
  std::cerr << "got " << chosen << ", not " << wanted << "\n";
  std::exit(1);
}

void expect_choice(std::initializer_list<std::string> actions, int penalty, const char* wanted) {
  View view{};
  view.actions = actions;
  view.penalty = penalty;
  expect(choose(view), wanted);
}

const char* DECISION =
    R"({"type":"decision","time_ms":1000,"view":{"match":"x7k2m9qd4t8w5zr3","number":7,"game":"lama",)"
    R"("options":{"max_rounds":"20"},"round":2,"ask":"turn","seat":1,"starter":0,"hand":["3","llama"],)"
    R"("penalty":13,"hand_sizes":[2,4],"active":[true,false],"points":[5,0],"start":"2","top":"3","pile":30,)"
    R"("moves":"0 play 3, 1 draw","actions":["draw","play 3","quit"],"indices":[0,4,8],"whites":[],"blacks":[],)"
    R"("rows":[["1"],[]],"llama_row":[],"dice":[],"stage":[],"magic":""}})";

int main() {
  expect_choice({"draw", "play 4", "quit"}, 9, "play 4");
  expect_choice({"draw", "quit"}, 6, "quit");
  expect_choice({"draw", "quit"}, 7, "draw");
  expect_choice({"keep", "return 1", "return 10"}, 0, "return 10");

  const View view = view_of(JsonReader(DECISION).read()["view"]);
  expect(choose(view), "play 3");
  expect(view.hand.at(1), "llama");
  expect(view.options.at("max_rounds"), "20");
  expect(std::to_string(view.points.at(0) + view.active.at(0) + view.number), "13");
  expect(JsonReader(R"(["a\"\\\n\u00e9"])").read().items.at(0).text, "a\"\\\n\xC3\xA9");
}
