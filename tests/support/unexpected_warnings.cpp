// Part of every GoogleTest program that needs no MPI: a message of the log that no test's own
// LogCapture took fails the test in which it came.
#include <gtest/gtest.h>

#include <memory>

#include "base/log.hpp"

namespace headrace {
namespace {

class UnexpectedWarnings : public testing::EmptyTestEventListener {
 public:
  void OnTestStart(const testing::TestInfo&) override { capture_ = std::make_unique<LogCapture>(); }
  void OnTestEnd(const testing::TestInfo&) override {
    for (const std::string& message : capture_->messages()) {
      if (message.rfind("info: ", 0) != 0) ADD_FAILURE() << "unexpected " << message;
    }
    capture_.reset();
  }

 private:
  std::unique_ptr<LogCapture> capture_;
};

[[maybe_unused]] const bool listens = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new UnexpectedWarnings);
  return true;
}();

}  // namespace
}  // namespace headrace
