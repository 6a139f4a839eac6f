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

}  // namespace

std::string encoded(const FileFacts& facts) {
  const Json object = {{"inode", facts.inode},
                       {"veto", static_cast<int>(facts.veto)},
                       {"reports", facts.reports},
                       {"hints", json_of(facts.options)}};
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

FileFacts decoded_facts(const std::string& text) {
  const Json object = Json::parse(text);
  return {object.at("inode"), static_cast<Veto>(object.at("veto").get<int>()), object.at("reports"),
          options_of(object.at("hints"))};
}

}  // namespace headrace::engine
