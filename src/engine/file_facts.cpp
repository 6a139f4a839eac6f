#include "engine/file_facts.hpp"

#include <nlohmann/json.hpp>

namespace headrace::engine {
namespace {

using Json = nlohmann::json;

Json json_of(const Options& options) {
  Json hints = Json::object();
  for (const Hint& hint : chosen_hints(options)) hints[hint.key] = hint.value;
  return hints;
}

Options options_of(const Json& hints) {
  Options options;
  // Rank 0's values have been checked there.
  for (const auto& [key, value] : hints.items()) apply_hint(options, {key, value});
  return options;
}

Json json_of(const std::vector<Hint>& hints) {
  Json pairs = Json::array();
  for (const Hint& hint : hints) pairs.push_back({hint.key, hint.value});
  return pairs;
}

std::vector<Hint> hints_of(const Json& pairs) {
  std::vector<Hint> hints;
  for (const Json& pair : pairs) hints.push_back({pair.at(0), pair.at(1)});
  return hints;
}

}  // namespace

std::string encoded(const FileFacts& facts) {
  const Json object = {{"inode", facts.inode},
                       {"veto", static_cast<int>(facts.veto)},
                       {"reports", facts.reports},
                       {"hints", json_of(facts.options)},
                       {"host", json_of(facts.host_hints)}};
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

FileFacts decoded_facts(const std::string& text) {
  const Json object = Json::parse(text);
  return {object.at("inode"), static_cast<Veto>(object.at("veto").get<int>()), object.at("reports"),
          options_of(object.at("hints")), hints_of(object.at("host"))};
}

}  // namespace headrace::engine
