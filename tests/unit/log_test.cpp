#include "base/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace headrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Log, levels_have_names_and_warning_is_the_default) {
  EXPECT_EQ(log_level_named("error"), LogLevel::error);
  EXPECT_EQ(log_level_named("info"), LogLevel::info);
  EXPECT_EQ(log_level_named("warning"), LogLevel::warning);
  EXPECT_EQ(log_level_named(""), LogLevel::warning);
  EXPECT_EQ(log_level_named("loud"), LogLevel::warning);
}

TEST(Log, a_capture_has_every_message) {
  const LogCapture capture;
  log_error("{} of {}", 1, 2);
  log_warning("careful");
  log_info("by the way: {}", std::string("this"));
  EXPECT_THAT(capture.messages(),
              ElementsAre("error: 1 of 2", "warning: careful", "info: by the way: this"));
}

TEST(Log, the_innermost_capture_has_it) {
  const LogCapture outer;
  {
    const LogCapture inner;
    log_warning("inside");
    EXPECT_THAT(inner.messages(), ElementsAre("warning: inside"));
  }
  EXPECT_THAT(outer.messages(), IsEmpty());
  log_warning("outside");
  EXPECT_THAT(outer.messages(), ElementsAre("warning: outside"));
}

TEST(Log, threads_may_log_at_once) {
  const LogCapture capture;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int n = 0; n < 100; ++n) log_warning("{}", n);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(capture.messages().size(), 400u);
}

/// In a process of its own: nothing is captured, and the level is read once per process.
void log_to_stderr(const char* level) {
  ::setenv("HEADRACE_LOG", level, 1);
  log_error("one");
  log_warning("two");
  log_info("three");
  std::exit(0);
}

TEST(LogDeathTest, stderr_gets_the_levels_that_are_asked_for) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  using testing::ExitedWithCode;
  EXPECT_EXIT(log_to_stderr("error"), ExitedWithCode(0), "^headrace: error: one\n$");
  EXPECT_EXIT(log_to_stderr("warning"), ExitedWithCode(0),
              "^headrace: error: one\nheadrace: warning: two\n$");
  EXPECT_EXIT(log_to_stderr("info"), ExitedWithCode(0), "headrace: info: three\n$");
}

}  // namespace
}  // namespace headrace
