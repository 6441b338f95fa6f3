#pragma once

#include "calibration/host_calibration.hpp"

namespace papilio::calibration {

/// The same loop of multiply-adds on all cores, run every now and then: whether the computer is
/// quiet while it is measured.
class steadiness_probe {
 public:
  /// Each run takes about `seconds`.
  steadiness_probe(int cores, double seconds) : cores_(cores), seconds_(seconds) {}

  void run();
  host_steadiness found() const;

 private:
  int cores_;
  double seconds_;
  double wall_ = 0, cpu_ = 0;         ///< of all loops of all runs
  double fastest_ = 0, slowest_ = 0;  ///< flop/s of a run, by its CPU time
};

}  // namespace papilio::calibration
