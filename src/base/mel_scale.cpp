#include "papilio/base/frequency_axis.hpp"

#include <cmath>

namespace papilio {
namespace {

// Slaney's scale: linear to the break, then 27 steps for each factor of 6.4.
constexpr double hz_per_mel = 200.0 / 3, break_hz = 1000, break_mel = 15;
constexpr double log_step = 0.068751777420949123;  // ln(6.4) / 27

}  // namespace

double hz_to_mel(double hz, mel_scale scale) {
  if (scale == mel_scale::htk) return 2595 * std::log10(1 + hz / 700);
  return hz < break_hz ? hz / hz_per_mel : break_mel + std::log(hz / break_hz) / log_step;
}

double mel_to_hz(double mel, mel_scale scale) {
  if (scale == mel_scale::htk) return 700 * (std::pow(10.0, mel / 2595) - 1);
  return mel < break_mel ? mel * hz_per_mel : break_hz * std::exp(log_step * (mel - break_mel));
}

}  // namespace papilio
