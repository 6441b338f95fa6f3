#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "base/internal.hpp"
#include "papilio/signal/auditory_bands.hpp"
#include "papilio/signal/constant_q.hpp"
#include "papilio/signal/mel.hpp"
#include "papilio/signal/stft.hpp"

namespace papilio::signal_detail {

/// Plans and filters that files of one shape share, each built once. At most 16 of a kind are kept
/// (of constant-Q transforms one), however many rates there are. For use by many threads at once.
class PAPILIO_INTERNAL plan_store {
 public:
  /// T is float or double.
  template <class T = float>
  stft_plan<T> stft(const stft_options& options);
  std::shared_ptr<const mel_filterbank<double>> mel(double rate_hz, std::size_t n_fft,
                                                    const mel_options& options);
  constant_q_plan<float> constant_q(const constant_q_options& options);
  std::shared_ptr<const auditory_filterbank<double>> auditory(double rate_hz, std::size_t n_fft,
                                                              const auditory_options& options);

 private:
  std::mutex mutex_;
  std::tuple<std::map<std::string, stft_plan<float>>, std::map<std::string, stft_plan<double>>>
      stft_;
  std::map<std::string, std::shared_ptr<const mel_filterbank<double>>> mel_;
  std::optional<constant_q_plan<float>> constant_q_;  // the last one: its tables are large
  std::map<std::string, std::shared_ptr<const auditory_filterbank<double>>> auditory_;
};

}  // namespace papilio::signal_detail
