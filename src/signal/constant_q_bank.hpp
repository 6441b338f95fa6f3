#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/fft/fft_plan.hpp"
#include "papilio/fft/rfft_plan.hpp"
#include "papilio/signal/constant_q.hpp"

namespace papilio::signal_detail {

/// Atoms' spectra and the transform of one block. Block b holds the samples from
/// (b segments_of_block() - lead()) hop on, block_size() of them, 0 outside the signal, and gives the
/// segments from b segments_of_block() on: those before and behind in its `rows()` are wrapped around
/// the ends of the block. Immutable.
template <class T>
class constant_q_bank {
 public:
  explicit constant_q_bank(const constant_q_options& options);

  const constant_q_options& options() const { return options_; }
  std::span<const double> frequencies_hz() const { return frequencies_hz_; }
  std::span<const double> lengths() const { return lengths_; }
  /// Factors between the bins of atoms whose l1 norm is 1 and those of the options.
  std::span<const T> factors() const { return factors_; }

  std::size_t rows() const { return rows_; }
  std::size_t lead() const { return lead_; }
  std::size_t segments_of_block() const { return rows_ - 2 * lead_; }
  std::size_t block_size() const { return rows_ * options_.hop; }
  std::uint64_t segments(std::uint64_t samples) const {
    return samples == 0 ? 0 : 1 + samples / options_.hop;
  }
  std::uint64_t blocks(std::uint64_t samples) const {
    return (segments(samples) + segments_of_block() - 1) / segments_of_block();
  }

  /// Memory of one block.
  struct work {
    explicit work(const constant_q_bank& bank);
    array<T, 1> samples;               // [block_size()]
    array<std::complex<T>, 2> values;  // [bins, rows()], of atoms whose l1 norm is 1
    array<std::complex<T>, 1> spectrum, scratch;
  };

  /// Transforms w.samples to w.values.
  void transform(work& w) const;
  /// The adjoint, from w.values to w.samples; the values are lost.
  void transform_adjoint(work& w) const;

  /// Copies block b of a signal, which may not be finite only if the result is false.
  bool load(std::span<const T> signal, std::uint64_t block, work& w) const;

 private:
  // The bins of a block's spectrum in which an atom is not 0.
  struct band {
    std::size_t first_bin, count, first_weight;
  };

  constant_q_options options_;
  std::vector<double> frequencies_hz_, lengths_;
  std::vector<T> factors_, weights_;
  std::vector<band> bands_;
  std::size_t lead_ = 0, rows_ = 0;
  std::vector<rfft_plan<T>> spectrum_plan_;  // of one element: the sizes are known late
  std::vector<fft_plan<T>> row_plans_;       // inverse, forward
};

}  // namespace papilio::signal_detail
