#pragma once

#include "cli/report.hpp"
#include "papilio/dispatch.hpp"

namespace papilio::cli {

/// --threads, --machine, --runtime and --policy: which side of the machine runs something.
struct side_flags {
  std::string machine, runtime, policy;
  std::optional<int> cores;
  int threads = 0;

  void add_to(command& verb);
  /// --cores, for what a group divides among them.
  void add_cores_to(command& verb);
};

/// Where it runs. A machine that is named runs it, if no policy says otherwise.
class side {
 public:
  /// usage_error, io_error: a machine, a runtime or a policy that does not exist, or that is not in
  /// this build.
  explicit side(const side_flags& flags);
  const execution& on() const { return on_; }

 private:
  std::unique_ptr<accelerator> device_;
  execution on_;
};

/// The field "run": where it ran, the modelled seconds and the wall time of the emulation, which
/// are lines too; of the host no lines.
report& add_run(report& made, const run_record& run);

}  // namespace papilio::cli
