#include "cli/profile_run.hpp"

// A program without papilio::sound, which draws, refuses every option that asks for a picture.
namespace papilio::cli::profile_verb {
namespace {

[[noreturn]] void refuse() {
  throw usage_error("{}", not_in_this_build("a picture of a profile", {"PAPILIO_SOUND"}));
}

}  // namespace

void write_timeline(const std::string&, const engine::launch_result&) { refuse(); }

void write_roofline(const std::string&, const engine::launch_result&, const engine::machine_spec&) {
  refuse();
}

void write_sweep(const std::string&, const std::string&, const size_sweep&,
                 const std::vector<sweep_point>&) {
  refuse();
}

void require_drawable(const char*, const std::string& path, bool) {
  if (!path.empty()) refuse();
}

}  // namespace papilio::cli::profile_verb
