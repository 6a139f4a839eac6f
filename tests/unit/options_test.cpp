#include "base/options.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace headrace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string effective(const Options& options, std::string_view key) {
  for (const Hint& hint : effective_hints(options)) {
    if (hint.key == key) return hint.value;
  }
  return "no such option";
}

/// The effective value of `key` after the hint, or "refused".
std::string applied(const std::string& key, const std::string& value) {
  Options options;
  return apply_hint(options, {key, value}) ? "refused" : effective(options, key);
}

TEST(OptionTable, default_values_are_those_of_options) {
  for (const OptionRow& row : option_table()) {
    EXPECT_EQ(row.print(Options()), row.default_value) << row.name;
  }
}

TEST(OptionTable, what_is_printed_can_be_parsed_again) {
  for (const OptionRow& row : option_table()) {
    Options options;
    EXPECT_TRUE(row.parse(options, row.default_value)) << row.name;
    EXPECT_EQ(row.print(options), row.default_value) << row.name;
  }
}

TEST(OptionTable, every_row_says_what_it_means_and_what_is_allowed) {
  for (const OptionRow& row : option_table()) {
    EXPECT_FALSE(row.allowed.empty()) << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
  }
}

TEST(Hints, words_are_taken_in_any_case) {
  EXPECT_EQ(applied("headrace_method", "TAM"), "tam");
  EXPECT_EQ(applied("headrace_method", "Two_Phase"), "two_phase");
  EXPECT_EQ(applied("headrace_aggregator_placement", "ROUND_robin"), "round_robin");
  EXPECT_EQ(applied("romio_no_indep_rw", "True"), "true");
  for (const char* key : {"romio_cb_write", "romio_cb_read", "romio_ds_write", "romio_ds_read"}) {
    EXPECT_EQ(applied(key, "Enable"), "enable");
    EXPECT_EQ(applied(key, "DISABLE"), "disable");
    EXPECT_EQ(applied(key, "automatic"), "automatic");
  }
}

TEST(Hints, words_are_not_guessed) {
  for (const char* value : {"", "tams", "ta", "tam ", "1"}) {
    EXPECT_EQ(applied("headrace_method", value), "refused") << value;
  }
  EXPECT_EQ(applied("romio_cb_write", "true"), "refused");
  EXPECT_EQ(applied("romio_no_indep_rw", "enable"), "refused");
}

TEST(Hints, each_toggle_sets_its_own_member) {
  Options options;
  EXPECT_FALSE(apply_hint(options, {"romio_cb_write", "enable"}));
  EXPECT_FALSE(apply_hint(options, {"romio_cb_read", "disable"}));
  EXPECT_FALSE(apply_hint(options, {"romio_ds_write", "disable"}));
  EXPECT_FALSE(apply_hint(options, {"romio_ds_read", "enable"}));
  EXPECT_EQ(options.cb_write, Toggle::enable);
  EXPECT_EQ(options.cb_read, Toggle::disable);
  EXPECT_EQ(options.ds_write, Toggle::disable);
  EXPECT_EQ(options.ds_read, Toggle::enable);
}

TEST(Hints, numbers_are_the_whole_text) {
  EXPECT_EQ(applied("cb_nodes", "12"), "12");
  for (const char* value : {"", " 12", "12 ", "12x", "1.5", "-1", "+1", "0x10", "2147483648",
                            "99999999999999999999", "4k"}) {
    EXPECT_EQ(applied("cb_nodes", value), "refused") << value;
  }
}

TEST(Hints, sizes_may_have_a_suffix) {
  EXPECT_EQ(applied("cb_buffer_size", "4096"), "4096");
  EXPECT_EQ(applied("cb_buffer_size", "4k"), "4096");
  EXPECT_EQ(applied("cb_buffer_size", "4K"), "4096");
  EXPECT_EQ(applied("cb_buffer_size", "16M"), "16777216");
  EXPECT_EQ(applied("striping_unit", "1g"), "1073741824");
  for (const char* value : {"k", "4kk", "4KiB", "4 k", "-4k", "9999999999999999G", "4T"}) {
    EXPECT_EQ(applied("cb_buffer_size", value), "refused") << value;
  }
}

TEST(Hints, a_collective_buffer_has_64_bytes_to_512_mebibytes) {
  EXPECT_EQ(applied("cb_buffer_size", "64"), "64");
  EXPECT_EQ(applied("cb_buffer_size", "512M"), "536870912");
  EXPECT_EQ(applied("cb_buffer_size", "63"), "refused");
  EXPECT_EQ(applied("cb_buffer_size", "536870913"), "refused");
  EXPECT_EQ(applied("cb_buffer_size", "0"), "refused");
}

TEST(Hints, a_stripe_count_may_be_all_there_are) {
  EXPECT_EQ(applied("striping_factor", "-1"), "-1");
  EXPECT_EQ(applied("striping_factor", "64"), "64");
  EXPECT_EQ(applied("striping_factor", "-2"), "refused");
}

TEST(Hints, a_config_list_names_hosts_and_processes) {
  for (const char* value : {"*:1", "*:*", "*", "host1:2,host2:1", "n-1.site.org,n_2:*", "a:0"}) {
    EXPECT_EQ(applied("cb_config_list", value), value);
  }
  for (const char* value : {"", ":1", "a:", "a:b", "a:1,", ",a", "a:1:2", "a b", "a:-1", "*x:1"}) {
    EXPECT_EQ(applied("cb_config_list", value), "refused") << value;
  }
}

TEST(Hints, a_refused_value_changes_nothing_and_is_explained) {
  Options options;
  options.cb_buffer_size = 4096;
  const auto complaint = apply_hint(options, {"cb_buffer_size", "huge"});
  ASSERT_TRUE(complaint);
  EXPECT_THAT(*complaint,
              AllOf(HasSubstr("cb_buffer_size"), HasSubstr("'huge'"), HasSubstr("64 to 512M")));
  EXPECT_EQ(options.cb_buffer_size, 4096);
}

TEST(Hints, an_unknown_key_of_ours_is_answered_with_the_closest) {
  Options options;
  const auto complaint = apply_hint(options, {"headrace_metod", "tam"});
  ASSERT_TRUE(complaint);
  EXPECT_THAT(*complaint, HasSubstr("unknown hint headrace_metod: did you mean headrace_method?"));
  EXPECT_THAT(*complaint,
              AllOf(HasSubstr("headrace_local_aggregators"),
                    HasSubstr("headrace_aggregator_placement"), Not(HasSubstr("cb_nodes"))));
  const auto other = apply_hint(options, {"headrace_local_agregator", "3"});
  EXPECT_THAT(*other, HasSubstr("did you mean headrace_local_aggregators?"));
}

TEST(Hints, keys_of_others_are_of_no_concern) {
  Options options;
  EXPECT_FALSE(apply_hint(options, {"access_style", "write_once"}));
  EXPECT_FALSE(apply_hint(options, {"CB_NODES", "x"}));
  EXPECT_FALSE(apply_hint(options, {"", ""}));
}

TEST(Hints, every_option_is_effective_in_table_order) {
  const std::vector<Hint> hints = effective_hints(Options());
  ASSERT_EQ(hints.size(), option_table().size());
  for (std::size_t i = 0; i < hints.size(); ++i) EXPECT_EQ(hints[i].key, option_table()[i].name);
}

TEST(Hints, chosen_ones_give_the_same_options_again) {
  EXPECT_TRUE(chosen_hints(Options()).empty());
  Options options;
  options.method = Method::tam;
  options.cb_buffer_size = 12345;
  options.cb_config_list = "node1:2,node2:*";
  options.early_return = true;
  options.striping_factor = -1;
  const std::vector<Hint> hints = chosen_hints(options);
  EXPECT_EQ(hints.size(), 5U);
  Options again;
  for (const Hint& hint : hints) EXPECT_EQ(apply_hint(again, hint), std::nullopt) << hint.key;
  EXPECT_EQ(again, options);
}

/// The hints as "key=value key=value", then the complaint in brackets if there is one.
std::string read(std::string_view text, std::string_view path) {
  const HintText read = hints_for_path(text, path);
  std::string shown;
  for (const Hint& hint : read.hints) {
    shown += fmt::format("{}{}={}", shown.empty() ? "" : " ", hint.key, hint.value);
  }
  return read.complaint.empty() ? shown : fmt::format("{} [{}]", shown, read.complaint);
}

TEST(HintText, gives_the_hints_of_the_patterns_that_match) {
  const char* text = "*.nc:cb_nodes=4:romio_cb_write=enable,*.h5:cb_nodes=2";
  EXPECT_EQ(read(text, "/scratch/run/out.nc"), "cb_nodes=4 romio_cb_write=enable");
  EXPECT_EQ(read(text, "out.h5"), "cb_nodes=2");
  EXPECT_EQ(read(text, "out.dat"), "");
  EXPECT_EQ(read("", "out.nc"), "");
}

TEST(HintText, patterns_are_for_the_whole_path_or_the_last_component) {
  EXPECT_EQ(read("/scratch/*:cb_nodes=1", "/scratch/run/out.nc"), "cb_nodes=1");
  EXPECT_EQ(read("out.nc:cb_nodes=1", "/scratch/run/out.nc"), "cb_nodes=1");
  EXPECT_EQ(read("run/*:cb_nodes=1", "/scratch/run/out.nc"), "");
  EXPECT_EQ(read("out[0-9].?c:cb_nodes=1", "out7.nc"), "cb_nodes=1");
  EXPECT_EQ(read("*/run=3/*:cb_nodes=1", "/scratch/run=3/out.nc"), "cb_nodes=1");
}

TEST(HintText, all_matching_entries_count_in_order) {
  EXPECT_EQ(read("*:cb_nodes=1,*.nc:cb_nodes=2", "a.nc"), "cb_nodes=1 cb_nodes=2");
}

TEST(HintText, blanks_and_trailing_commas_do_not_matter) {
  EXPECT_EQ(read(" *.nc : cb_nodes = 4 ,\n *.h5 : cb_nodes=2,", "a.nc"), "cb_nodes=4");
  EXPECT_EQ(read(" *.nc : cb_nodes = 4 ,\n *.h5 : cb_nodes=2,", "a.h5"), "cb_nodes=2");
}

TEST(HintText, values_may_be_empty_or_hold_an_equals_sign) {
  EXPECT_EQ(read("*:a=:b=c=d", "f"), "a= b=c=d");
}

TEST(HintText, a_config_list_may_hold_colons_and_commas) {
  EXPECT_EQ(read("*:cb_config_list=*:1", "f"), "cb_config_list=*:1");
  EXPECT_EQ(read("*:cb_config_list=*:*:cb_nodes=2", "f"), "cb_config_list=*:* cb_nodes=2");
  EXPECT_EQ(read("*:cb_config_list=a:2,b:1", "f"), "cb_config_list=a:2,b:1");
  EXPECT_EQ(read("*:cb_config_list=a,b", "f"), "cb_config_list=a,b");
  EXPECT_EQ(read("*:cb_config_list=a:2,b:1:cb_nodes=4", "f"), "cb_config_list=a:2,b:1 cb_nodes=4");
  EXPECT_EQ(read("*:cb_config_list=a:2,b:1,*.h5:cb_nodes=4", "x.h5"),
            "cb_config_list=a:2,b:1 cb_nodes=4");
  EXPECT_EQ(read("*:cb_config_list=a:2,b:1,*.h5:cb_nodes=4", "x.nc"), "cb_config_list=a:2,b:1");
  EXPECT_EQ(read("*:cb_config_list=a:2,,*.h5:cb_nodes=4", "x.h5"), "cb_config_list=a:2 cb_nodes=4");
}

TEST(HintText, a_last_host_without_number_before_a_hint_is_taken_for_a_pattern) {
  EXPECT_EQ(read("*:cb_config_list=a,b:cb_nodes=4", "f"), "cb_config_list=a");
  EXPECT_EQ(read("*:cb_config_list=a,b:cb_nodes=4", "b"), "cb_config_list=a cb_nodes=4");
}

TEST(HintText, only_a_config_list_may_hold_them) {
  EXPECT_EQ(read("*:cb_nodes=1:2", "f"), "cb_nodes=1 ['2' is not key=value]");
}

TEST(HintText, what_cannot_be_read_is_named_and_the_rest_is_used) {
  EXPECT_EQ(read("*:junk:cb_nodes=1", "f"), "cb_nodes=1 ['junk' is not key=value]");
  EXPECT_EQ(read("*:=3:cb_nodes=1", "f"), "cb_nodes=1 ['=3' is not key=value]");
  EXPECT_EQ(read("*.nc,*:cb_nodes=1", "f"), "cb_nodes=1 ['*.nc' is followed by no hint]");
  EXPECT_EQ(read(":cb_nodes=2,*:cb_nodes=1", "f"), "cb_nodes=1 [a pattern is missing]");
  EXPECT_EQ(read("cb_nodes=2:romio_cb_write=enable,*:cb_nodes=1", "f"),
            "cb_nodes=1 ['cb_nodes=2' stands where a file pattern must]");
  EXPECT_EQ(read("*:x,*:y", "f"), " ['x' is not key=value; 'y' is not key=value]");
}

/// The table of docs/options.md, from the one option table.
std::string documented_table() {
  std::ostringstream text;
  text << "| hint | default | allowed | meaning |\n|---|---|---|---|\n";
  for (const OptionRow& row : option_table()) {
    text << fmt::format("| `{}` | `{}` | {} | {} |\n", row.name, row.default_value, row.allowed,
                        row.meaning);
  }
  return text.str();
}

TEST(OptionTable, is_documented_as_it_is) {
  std::ifstream file(HEADRACE_SOURCE_DIR "/docs/options.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str().find(documented_table()) != std::string::npos)
      << "docs/options.md must hold this table:\n"
      << documented_table();
}

}  // namespace
}  // namespace headrace
