// MyBot talks to the arena's host: JSON objects, one on each line of stdin and stdout.
#include <exception>
#include <iostream>
#include <string>

#include "choose.h"

int main() {
  std::cout << R"({"protocol":1,"games":["lama"]})" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      // Actions need no escapes in JSON.
      const std::string action = choose(view_of(JsonReader(line).read()["view"]));
      std::cout << R"({"action":")" << action << R"("})" << std::endl;
    } catch (const std::exception& error) {
      std::cerr << error.what() << "\n";  // stderr is for everything that is not a message
      std::cout << R"({"error":"choose failed; see stderr"})" << std::endl;
    }
  }
}
