// What MyBot knows when it decides. "By seat": one entry for each seat, seat 0 first.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "json.h"

struct View {
  std::string match, game, ask;
  int number, round, seat, starter, penalty, pile;
  std::map<std::string, std::string> options;  // that differ from their defaults
  std::vector<std::string> hand;               // the bot's cards
  std::vector<int> hand_sizes, points;         // by seat
  std::vector<bool> active;                    // by seat: still in the round
  std::string start, top;                      // the start card, the card to play on
  std::string moves;                           // of the round: "2 play 4, 3 draw, 0 quit"
  std::vector<std::string> actions;            // the legal actions
  std::vector<int> indices;                    // their stable indices, in the same order

  // Only in Dice and Kadabra.
  std::vector<int> whites, blacks;             // by seat: tokens
  std::vector<std::vector<std::string>> rows;  // by seat: the open cards
  std::vector<std::string> llama_row, dice;
  std::vector<int> stage;
  std::string magic;
};

// Throws std::runtime_error if a field is missing.
inline View view_of(const Json& json) {
  View view;
  for (auto& [name, field] : {std::pair{"match", &view.match}, {"game", &view.game}, {"ask", &view.ask},
                              {"start", &view.start}, {"top", &view.top}, {"moves", &view.moves},
                              {"magic", &view.magic}})
    *field = json[name].text;
  for (auto& [name, field] : {std::pair{"number", &view.number}, {"round", &view.round}, {"seat", &view.seat},
                              {"starter", &view.starter}, {"penalty", &view.penalty}, {"pile", &view.pile}})
    *field = json[name].number;
  for (auto& [name, field] : {std::pair{"hand", &view.hand}, {"actions", &view.actions},
                              {"llama_row", &view.llama_row}, {"dice", &view.dice}})
    *field = json[name].texts();
  for (auto& [name, field] : {std::pair{"hand_sizes", &view.hand_sizes}, {"points", &view.points},
                              {"indices", &view.indices}, {"whites", &view.whites},
                              {"blacks", &view.blacks}, {"stage", &view.stage}})
    for (const Json& each : json[name].items) field->push_back(each.number);
  for (const Json& each : json["active"].items) view.active.push_back(each.truth);
  for (const Json& each : json["rows"].items) view.rows.push_back(each.texts());
  for (auto& [name, value] : json["options"].fields) view.options[name] = value.text;
  return view;
}
