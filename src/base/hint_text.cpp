// HEADRACE_HINTS and MPICH_MPIIO_HINTS: the grammar is in options.hpp, at hints_for_path.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "base/options.hpp"

namespace headrace {
namespace {

/// The only key whose values may hold colons and commas.
constexpr std::string_view list_key = "cb_config_list";

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  const std::size_t end = text.find_last_not_of(blanks) + 1;
  return text.substr(begin, std::max(begin, end) - begin);
}

/// What lies between two separators, and the separator before it (',' before the first).
struct Piece {
  char before;
  std::string_view text;

  bool has_key() const { return text.find('=') != std::string_view::npos; }
};

std::vector<Piece> split(std::string_view text) {
  std::vector<Piece> pieces;
  char before = ',';
  for (;;) {
    const std::size_t end = text.find_first_of(":,");
    pieces.push_back({before, text.substr(0, end)});
    if (end == std::string_view::npos) return pieces;
    before = text[end];
    text.remove_prefix(end + 1);
  }
}

/// Whether piece `i` goes on with the value of a list_key before it: it begins neither a
/// ":key=value" nor a ",pattern:key=value".
bool continues_list(const std::vector<Piece>& pieces, std::size_t i) {
  if (pieces[i].before == ':') return !pieces[i].has_key();
  const bool entry_follows =
      i + 1 < pieces.size() && pieces[i + 1].before == ':' && pieces[i + 1].has_key();
  return !entry_follows && !trim(pieces[i].text).empty();
}

/// Joins the pieces of one list value again. They are neighbours in one text.
std::vector<Piece> join_lists(const std::vector<Piece>& pieces) {
  std::vector<Piece> joined;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool after_list =
        !joined.empty() && joined.back().before == ':' &&
        trim(joined.back().text.substr(0, joined.back().text.find('='))) == list_key;
    if (after_list && continues_list(pieces, i)) {
      const char* begin = joined.back().text.data();
      const char* end = pieces[i].text.data() + pieces[i].text.size();
      joined.back().text = {begin, static_cast<std::size_t>(end - begin)};
    } else {
      joined.push_back(pieces[i]);
    }
  }
  return joined;
}

bool matches(const std::string& pattern, const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return ::fnmatch(pattern.c_str(), path.c_str(), 0) == 0 ||
         ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

bool is_known_hint(std::string_view text) {
  const std::string_view key = trim(text.substr(0, text.find('=')));
  const auto table = option_table();
  return key != trim(text) && std::any_of(table.begin(), table.end(),
                                          [key](const OptionRow& row) { return row.name == key; });
}

/// Reads the pieces in turn, and keeps the hints of the entries that match `path`.
class HintReader {
 public:
  explicit HintReader(std::string_view path) : path_(path) {}

  void read(const Piece& piece) {
    if (piece.before == ',') {
      end_entry();
      begin_entry(trim(piece.text));
    } else {
      read_hint(trim(piece.text));
    }
  }

  HintText finish() {
    end_entry();
    return std::move(result_);
  }

 private:
  void begin_entry(std::string_view pattern) {
    pattern_ = pattern;
    hint_count_ = 0;
    usable_ = !pattern.empty() && !is_known_hint(pattern);
    applies_ = usable_ && matches(pattern_, path_);
  }

  void read_hint(std::string_view text) {
    ++hint_count_;
    const std::size_t equals = text.find('=');
    const std::string_view key = trim(text.substr(0, equals));
    if (equals == std::string_view::npos || key.empty()) {
      complain("'{}' is not key=value", text);
    } else if (applies_) {
      result_.hints.push_back({std::string(key), std::string(trim(text.substr(equals + 1)))});
    }
  }

  void end_entry() {
    if (usable_ && hint_count_ == 0) complain("'{}' is followed by no hint", pattern_);
    if (!usable_ && pattern_.empty() && hint_count_ > 0) complain("a pattern is missing{}", "");
    if (!usable_ && !pattern_.empty()) complain("'{}' stands where a file pattern must", pattern_);
    usable_ = false;
    pattern_.clear();
    hint_count_ = 0;
  }

  template <class Subject>
  void complain(fmt::format_string<const Subject&> format, const Subject& subject) {
    if (!result_.complaint.empty()) result_.complaint += "; ";
    result_.complaint += fmt::format(format, subject);
  }

  const std::string path_;
  std::string pattern_;
  bool usable_ = false;
  bool applies_ = false;
  int hint_count_ = 0;
  HintText result_;
};

}  // namespace

HintText hints_for_path(std::string_view text, std::string_view path) {
  HintReader reader(path);
  for (const Piece& piece : join_lists(split(text))) reader.read(piece);
  return reader.finish();
}

}  // namespace headrace
