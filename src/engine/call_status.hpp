// What calls return: the error class that all ranks agree on, at once or, where ranks return early,
// when it is next asked for.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.hpp"
#include "engine/agreement.hpp"

namespace headrace::engine {

class CallStatus {
 public:
  /// All outlive the object. `path`: of the file, for messages.
  CallStatus(const Team& team, Agreement& agreement, const std::string& path)
      : team_(team), agreement_(agreement), path_(path) {}

  /// What a rank brings to an agreement by maximum: the greatest is of the greatest class, and of
  /// those of its first rank, who tells of it.
  std::int64_t announced(const Status& own) const;
  /// What the maximum of all ranks' comes to on this rank, whose own was `own`: everybody's class
  /// is the greatest.
  Status agreed(const Status& own, std::int64_t worst) const;

  /// Collective. Also the barrier after which every byte of a write is in the file.
  Status agree(const Status& own);

  /// The first half of agree(): waits for nobody, as far as Agreement::begin() does not.
  /// Collective.
  void begin(const Status& own);
  /// Waits for the other half, if there is one. Local.
  void wait_for_others();
  /// Waits likewise, and tells once what came of it.
  Status settle();

 private:
  const Team& team_;
  Agreement& agreement_;
  const std::string& path_;
  Status own_;       // while it is not agreed on
  Status not_told_;  // what was agreed on it after this rank had returned
};

}  // namespace headrace::engine
