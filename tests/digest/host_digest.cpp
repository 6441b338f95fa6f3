#include "digest/host_runs.hpp"

namespace papilio::test {

digest_lines host_digest() {
  host_runs runs;
  add_transforms(runs);
  add_signals(runs);
  add_tensors(runs);
  return runs.lines();
}

}  // namespace papilio::test
