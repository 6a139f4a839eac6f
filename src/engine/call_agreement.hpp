// What all ranks agree on before a call is served: by whom, in which way, and by which plan. One
// reduction finds it out, and serves a small call on the way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/agreement.hpp"
#include "engine/call_status.hpp"
#include "engine/file_facts.hpp"
#include "engine/file_storage.hpp"
#include "engine/plan_cache.hpp"
#include "engine/small_call.hpp"
#include "plan/plan.hpp"
#include "report/measures.hpp"

namespace headrace::engine {

/// One rank's part of a call, before it has asked the others.
struct OwnCall {
  const Call& call;
  bool is_write;
  Veto veto;             ///< of this rank
  bool has_new_options;  ///< this rank has some, which take effect with this call
};

/// The same on every rank.
struct AgreedCall {
  /// Some rank has new options. Nothing else is agreed on: all are to take them and ask again.
  bool has_new_options = false;
  Veto veto = Veto::none;  ///< of all ranks
  plan::CallShape shape;
  plan::Service service = plan::Service::nothing;  ///< where nobody has a veto
  std::vector<std::int64_t> plan_words;            ///< for PlanCache::choose()
  std::int64_t worst = 0;         ///< of a small call, which has been served: for CallStatus
  std::int64_t readable_end = 0;  ///< of a small call: the file offset up to which there was data
};

class CallAgreement {
 public:
  /// All outlive the object. `facts`: as they are at each call.
  CallAgreement(Team& team, Agreement& agreement, CallStatus& status, FileStorage& storage,
                const FileFacts& facts, report::Measures& measures)
      : team_(team),
        agreement_(agreement),
        status_(status),
        storage_(storage),
        facts_(facts),
        small_(*team.node, measures) {}

  /// To be called before the first call, and when the options have changed. `plans` outlives that.
  void prepare(const plan::DirectSizes& direct_sizes, PlanCache& plans);

  /// Collective.
  AgreedCall agree(const OwnCall& own);

  /// What came of a small call. Local.
  Outcome end_small(const AgreedCall& agreed, const Call& call, bool is_write);

 private:
  enum class Direct { unknown, possible, impossible };

  plan::Service service_for(const plan::CallShape& shape) const;
  bool suits_direct(const OwnCall& own) const;
  bool may_go_direct(const OwnCall& own) const;
  bool every_rank_can_open();
  plan::Service choose(const plan::CallShape& shape);
  bool shows_small(const OwnCall& own);
  void serve_small(const plan::CallShape& shape, bool is_write, std::span<std::int64_t> maxima);
  const Options& options() const { return facts_.options; }

  Team& team_;
  Agreement& agreement_;
  CallStatus& status_;
  FileStorage& storage_;
  const FileFacts& facts_;
  SmallCall small_;
  Status small_status_;  // of the last call on this rank, if it was the one that served it
  plan::DirectSizes direct_sizes_{};
  PlanCache* plans_ = nullptr;
  Direct direct_ = Direct::unknown;
};

}  // namespace headrace::engine
