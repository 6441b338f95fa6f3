#pragma once

#include <map>
#include <memory>
#include <string>

#include "page_rows.hpp"
#include "papilio/dispatch/comparison.hpp"
#include "papilio/engine/device.hpp"
#include "turns.hpp"

namespace papilio::bench {

/// What rows take on an emulated device, in dry runs, and the error of their results.
class device_side {
 public:
  device_side();  ///< trainium1 with sdk_2_24

  const engine::device& on() const { return *device_; }

  /// The time is of a call from the host and back, with the program compiled. Counters: its parts,
  /// the error against the host's in double and the expected one, where the verdict turns as the
  /// operation grows, FLOPs, and what others measured. Label: what it grows by, and a note.
  row modelled(const page_row& of);

 private:
  using counters = std::map<std::string, double>;

  double add_decomposition(const decomposition& of, counters& to);
  double add_operation(const page_row& of, counters& to);
  std::string add_crossings(const operation& what, counters& to);
  double executed_error(const page_row& of);

  std::unique_ptr<engine::device> device_;
  std::map<std::string, crossover> crossovers_ = {};  ///< of operations that grow alike
};

}  // namespace papilio::bench
