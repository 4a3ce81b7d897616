// MyBot plays L.A.M.A.: build/mybot, with ARENA_URL and ARENA_TOKEN set.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <thread>

#include "choose.h"
#include "play.grpc.pb.h"

using namespace arena::v1;
using Clock = std::chrono::steady_clock;

std::string setting(const char* name, const char* otherwise = "") {
  const char* value = std::getenv(name);
  return value ? value : otherwise;
}

std::shared_ptr<grpc::Channel> channel_to(std::string url) {
  grpc::ChannelArguments options;
  options.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  options.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5'000);
  options.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  const bool tls = url.rfind("grpcs://", 0) == 0;
  if (auto scheme = url.find("://"); scheme != std::string::npos) url.erase(0, scheme + 3);
  if (!tls) return grpc::CreateCustomChannel(url, grpc::InsecureChannelCredentials(), options);
  grpc::SslCredentialsOptions trusted;
  if (const std::string file = setting("ARENA_TLS_CA"); !file.empty()) {
    std::ifstream roots(file);
    trusted.pem_root_certs.assign(std::istreambuf_iterator<char>(roots), {});
  }
  return grpc::CreateCustomChannel(url, grpc::SslCredentials(trusted), options);
}

// Plays until the stream ends; returns whether another try makes sense.
bool session(Play::Stub& arena, const std::string& token) {
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer " + token);
  auto stream = arena.Connect(&context);
  BotMessage said;
  Hello& hello = *said.mutable_hello();
  hello.set_protocol(1);
  hello.add_games("lama");
  hello.set_max_in_flight(64);
  hello.set_sdk("mybot-cpp/1");
  hello.set_version(setting("ARENA_BOT_VERSION"));  // empty: the newest
  stream->Write(said);
  ArenaMessage heard;
  bool reconnect = true;
  while (stream->Read(&heard)) {
    if (heard.has_welcome()) std::cerr << heard.welcome().bot() << " is connected.\n";
    if (heard.has_problem()) std::cerr << heard.problem().message() << "\n";
    if (heard.has_closed()) std::cerr << heard.closed().reason() << "\n";
    if (heard.has_closed()) reconnect = heard.closed().reconnect();
    for (const Fault& fault : heard.batch().faults())
      std::cerr << "Fault (" << fault.kind() << "): " << fault.reason() << "\n";
    said.Clear();
    for (const Decision& decision : heard.batch().decisions()) {
      Choice& choice = *said.mutable_choices()->add_choices();
      choice.set_ticket(decision.ticket());
      try {
        choice.set_action(choose(decision.view()));
      } catch (const std::exception& error) {
        choice.set_error(error.what());
      }
    }
    if (said.has_choices() && !stream->Write(said)) break;
  }
  const grpc::Status status = stream->Finish();
  if (!status.ok()) std::cerr << status.error_message() << "\n";
  switch (status.error_code()) {
    case grpc::INVALID_ARGUMENT:
    case grpc::PERMISSION_DENIED:
    case grpc::UNIMPLEMENTED:
    case grpc::UNAUTHENTICATED:
      return false;
    default:
      return reconnect;
  }
}

// ARENA_TOKEN without white space around it; empty if it cannot be a token.
std::string token_setting() {
  const std::string value = setting("ARENA_TOKEN"), space = " \t\r\n";
  const auto first = value.find_first_not_of(space), last = value.find_last_not_of(space);
  if (first == std::string::npos) return "";
  const std::string token = value.substr(first, last - first + 1);
  const bool plain = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 127; });
  return plain ? token : "";
}

int main() {
  const std::string token = token_setting();
  if (token.empty()) {
    std::cerr << "Error: ARENA_TOKEN is not a token. Copy it from https://arena.example/my/bots\n";
    return 2;
  }
  auto arena = Play::NewStub(channel_to(setting("ARENA_URL", "HOST:7420")));
  std::mt19937 random{std::random_device{}()};
  for (int pause = 200;; pause = std::min(2 * pause, 4'000)) {
    const auto began = Clock::now();
    if (!session(*arena, token)) return 1;
    if (Clock::now() - began > std::chrono::seconds(5)) pause = 200;
    // Not all bots of a gateway come back at once.
    const int wait = std::uniform_int_distribution<int>(pause / 2, pause)(random);
    std::this_thread::sleep_for(std::chrono::milliseconds(wait));
  }
}
