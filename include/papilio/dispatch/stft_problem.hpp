#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/real_type.hpp"
#include "papilio/dispatch/operand.hpp"

namespace papilio {

/// What stands beyond the ends of a centred signal, n_fft / 2 samples on either side.
enum class stft_ends { zero, reflect, edge };
/// complex: two planes; power and magnitude of the bins; mel: a matrix times the power; decibel:
/// 10 log10 of max(power, floor), of mel where there is a matrix.
enum class stft_result { complex, magnitude, power, mel, decibel };

/// Short-time Fourier transforms of `channels` signals: [channels, samples] to [channels, segments,
/// bins] (mel: bands). Segment s begins at sample s hop (less n_fft / 2 where centred).
struct PAPILIO_API stft_problem {
  std::size_t channels = 1, samples = 1, n_fft = 2048, hop = 512;
  std::vector<float> window = {};  ///< n_fft weights with every scaling; empty: ones
  bool centre = true;
  stft_ends ends = stft_ends::zero;
  stft_result result = stft_result::complex;
  float floor = 1e-10F;         ///< of decibel
  std::vector<float> mel = {};  ///< [bands, bins], row by row, finite; of mel and decibel alone
  bool pad_end = false;         ///< zeros follow the signal, as its last samples need
  bool two_sided = false;       ///< bins 0 ... n_fft - 1
  bool halved_ends = false;     ///< bin 0 and, of an even n_fft, bin n_fft / 2 times 1 / 2
  real_type type = real_type::single_precision;

  std::size_t bins() const { return two_sided ? n_fft : n_fft / 2 + 1; }
  std::size_t bands() const { return bins() == 0 ? 0 : mel.size() / bins(); }
  std::size_t segments() const;

  /// invalid_argument, in the name of `function`, for an n_fft or hop of 0, a window that is not n_fft weights, a matrix of bands that is
  /// not whole bands of finite weights, or one that the result has no use for.
  void require_valid(const char* function) const;
  std::string text() const;  ///< for example "stft of 16000 samples, n_fft 512, hop 128"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< 2.5 n_fft log2 n_fft a segment
  problem_size size() const;     ///< samples of each channel
  stft_problem of_size(std::size_t size) const;
  bool operator==(const stft_problem&) const = default;
};

/// Overlap-add of inverse transforms of [channels, segments, bins], divided by the sum of the
/// windows' squares: samples `first` ... of signals, [channels, samples].
struct PAPILIO_API istft_problem {
  std::size_t channels = 1, segments = 1, samples = 1, first = 0, n_fft = 2048, hop = 512;
  std::vector<float> window = {};
  bool centre = true;
  bool two_sided = false, halved_ends = false;  ///< what the transforms were, as of stft_problem
  real_type type = real_type::single_precision;

  std::size_t bins() const { return two_sided ? n_fft : n_fft / 2 + 1; }

  /// invalid_argument, in the name of `function`, for an n_fft or hop of 0, and a window that is not n_fft weights.
  void require_valid(const char* function) const;
  std::string text()
      const;  ///< for example "istft of 5 segments to 16000 samples, n_fft 512, hop 128"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< as of stft_problem
  problem_size size() const;     ///< samples of each channel
  istft_problem of_size(std::size_t size) const;
  bool operator==(const istft_problem&) const = default;
};

}  // namespace papilio
