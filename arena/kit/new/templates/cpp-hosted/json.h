// Reads JSON as hosts write it: one object on a line.
#pragma once

#include <cctype>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Json {
  std::string text;
  double number = 0;
  bool truth = false;
  std::vector<Json> items;
  std::map<std::string, Json> fields;

  // Throws std::runtime_error if there is no such field.
  const Json& operator[](const std::string& name) const {
    auto found = fields.find(name);
    if (found == fields.end()) throw std::runtime_error("no field " + name);
    return found->second;
  }

  std::vector<std::string> texts() const {
    std::vector<std::string> found;
    for (const Json& each : items) found.push_back(each.text);
    return found;
  }
};

class JsonReader {
 public:
  explicit JsonReader(const std::string& source) : at_(source.c_str()) {}

  // Throws std::runtime_error if it is not JSON.
  Json read() {
    Json json;
    switch (peek()) {
      case '{':
        list('}', [&] {
          std::string name = string();
          expect(':');
          json.fields[name] = read();
        });
        break;
      case '[': list(']', [&] { json.items.push_back(read()); }); break;
      case '"': json.text = string(); break;
      case 't': word("true"); json.truth = true; break;
      case 'f': word("false"); break;
      case 'n': word("null"); break;
      default: json.number = number();
    }
    return json;
  }

 private:
  const char* at_;

  char peek() {
    while (std::isspace(static_cast<unsigned char>(*at_))) ++at_;
    return *at_;
  }

  void expect(char wanted) {
    if (peek() != wanted) throw std::runtime_error(std::string("JSON: no ") + wanted);
    ++at_;
  }

  void word(const char* wanted) {
    for (; *wanted; ++wanted) expect(*wanted);
  }

  template <class Item>
  void list(char end, Item item) {
    ++at_;
    if (peek() != end) {
      item();
      while (peek() == ',') ++at_, item();
    }
    expect(end);
  }

  double number() {
    char* end;
    const double found = std::strtod(at_, &end);
    if (end == at_) throw std::runtime_error("JSON: no value");
    at_ = end;
    return found;
  }

  std::string string() {
    expect('"');
    std::string found;
    while (*at_ && *at_ != '"') {
      if (*at_ != '\\') {
        found += *at_++;
      } else if (*++at_ == 'u') {
        append(found, std::strtoul(std::string(at_ + 1, 4).c_str(), nullptr, 16));
        at_ += 5;
      } else {
        static const std::map<char, char> escapes{{'b', '\b'}, {'f', '\f'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}};
        auto escape = escapes.find(*at_);
        found += escape == escapes.end() ? *at_ : escape->second;
        ++at_;
      }
    }
    expect('"');
    return found;
  }

  // As UTF-8. Hosts write other characters than ASCII in names of bots only.
  static void append(std::string& text, unsigned long code) {
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += static_cast<char>(0xC0 | code >> 6);
      text += static_cast<char>(0x80 | (code & 0x3F));
    } else {
      text += static_cast<char>(0xE0 | code >> 12);
      text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
      text += static_cast<char>(0x80 | (code & 0x3F));
    }
  }
};
