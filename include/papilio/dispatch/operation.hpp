#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/fft_problem.hpp"

// What one may ask to be computed, as values: they can be compared, kept and printed. An
// accelerator does each of them in one launch.
namespace papilio {

/// What stands beyond the ends of a centred signal, n_fft / 2 samples on either side.
enum class stft_ends { zero, reflect, edge };
/// complex: two planes; power and magnitude of the bins; mel: a matrix times the power; decibel:
/// 10 log10 of max(power, floor), of mel where there is a matrix.
enum class stft_result { complex, magnitude, power, mel, decibel };

/// Short-time Fourier transforms of `channels` signals: [channels, samples] to [channels, segments,
/// bins] (mel: bands). Segment s begins at sample s hop (less n_fft / 2 where centred).
struct stft_problem {
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
  PAPILIO_API std::size_t segments() const;
  bool operator==(const stft_problem&) const = default;
};

/// Overlap-add of inverse transforms of [channels, segments, bins], divided by the sum of the
/// windows' squares: samples `first` ... of signals, [channels, samples].
struct istft_problem {
  std::size_t channels = 1, segments = 1, samples = 1, first = 0, n_fft = 2048, hop = 512;
  std::vector<float> window = {};
  bool centre = true;
  bool two_sided = false, halved_ends = false;  ///< what the transforms were, as of stft_problem
  real_type type = real_type::single_precision;

  std::size_t bins() const { return two_sided ? n_fft : n_fft / 2 + 1; }
  bool operator==(const istft_problem&) const = default;
};

/// Element by element: out[i] = a[i] b[i] of complex numbers. With `factors`, whose number divides
/// count, there is one operand: out[i] = a[i] factors[i mod their number]; they stay with the
/// program.
struct product_problem {
  std::size_t count = 1;
  std::vector<std::complex<float>> factors = {};
  real_type type = real_type::single_precision;
  bool operator==(const product_problem&) const = default;
};

/// C[i] = op(A[i]) op(B[i]), i < batch: [batch, m, k] times [batch, k, n]; a shared operand has
/// batch 1.
struct gemm_problem {
  std::size_t batch = 1, m = 1, k = 1, n = 1;
  bool shared_left = false, shared_right = false, is_complex = false;
  real_type type = real_type::single_precision;
  bool operator==(const gemm_problem&) const = default;
};

/// Which energies of second order of pairs of electrons are summed, and how many come out.
///   closed_shell   those of opposite spins, then those of equal ones
///   same_spin      those of one spin
///   opposite_spin  those of two spins with orbitals of their own
enum class pair_spins { closed_shell, same_spin, opposite_spin };

/// MP2 energies from density-fitted integrals: B [nocc, nvir, naux] and the energies [nocc], [nvir]
/// of its orbitals, each occupied one below each virtual one, of opposite_spin then the same three
/// of the other spin, to [2] or [1] energies.
struct pair_energy_problem {
  std::size_t nocc = 1, nvir = 1, naux = 1;
  pair_spins spins = pair_spins::closed_shell;
  std::size_t nocc_other = 1, nvir_other = 1;  ///< of opposite_spin
  std::size_t frozen = 0;                      ///< of the first occupied of each spin, left out
  real_type type = real_type::single_precision;

  /// Of occupied orbitals, i <= j or of two spins.
  PAPILIO_API double pairs() const;
  bool operator==(const pair_energy_problem&) const = default;
};

/// Three-index integrals over molecular orbitals, [nocc, nvir, naux], from those over atomic ones,
/// [naux, nbasis, nbasis], and the orbitals' coefficients [nbasis, nocc] and [nbasis, nvir]; with a
/// metric, [naux, naux], times it over the auxiliary functions.
struct integral_transform_problem {
  std::size_t nbasis = 1, nocc = 1, nvir = 1, naux = 1;
  bool has_metric = false;
  real_type type = real_type::single_precision;
  bool operator==(const integral_transform_problem&) const = default;
};

/// Boxes of an array go to places of another, zeros elsewhere: cuts, padding, rolls. A real array
/// that becomes complex has imaginary parts of 0, a complex one that becomes real loses them.
struct arrangement_problem {
  struct box {
    std::vector<std::size_t> from, to, extents;
    bool operator==(const box&) const = default;
  };
  std::vector<std::size_t> in_extents, out_extents;
  bool complex_in = false, complex_out = false;
  std::vector<box> boxes;
  double scale_re = 1, scale_im = 1;
  bool operator==(const arrangement_problem&) const = default;
};

/// Sums of products of tensors, step by step, in one launch. Labels are 0 ... sizes.size() - 1.
struct contraction_problem {
  /// A value by the labels of its axes; one that repeats is its diagonal.
  struct term {
    std::size_t value = 0;  ///< of the operands, then the results of the steps before
    std::vector<int> labels = {};
    bool conjugate = false;
    bool operator==(const term&) const = default;
  };
  /// The sum of products of two terms over the labels that the result has not; or of one.
  struct step {
    std::vector<term> of = {};
    std::vector<int> labels = {};  ///< of the result, none twice
    bool operator==(const step&) const = default;
  };
  std::vector<std::size_t> sizes = {};                  ///< by label
  std::vector<std::vector<std::size_t>> operands = {};  ///< extents
  std::vector<step> steps = {};
  std::vector<std::size_t> results = {};  ///< values: of steps, none twice
  /// Steps `first` to `last` run for each value of the labels, one after the other: intermediates
  /// have not these. What the last step makes is a result; no other step reads what the rest make.
  struct loop {
    std::vector<int> labels = {};
    std::size_t first = 0, last = 0;
    bool operator==(const loop&) const = default;
  };
  std::vector<loop> loops = {};  ///< in the order of their steps, none of which is in two
  bool is_complex = false;
  real_type type = real_type::single_precision;
  bool operator==(const contraction_problem&) const = default;
};

/// An fft_problem here has the extents of the whole array. Types other than single_precision are
/// what accelerators refuse.
using operation = std::variant<fft_problem, stft_problem, istft_problem, product_problem,
                               gemm_problem, pair_energy_problem, integral_transform_problem,
                               arrangement_problem, contraction_problem>;

/// For example "gemm of 128x256 by 256x64 in float".
PAPILIO_API std::string to_string(const operation& what);

/// An operand of an operation.
struct operand_shape {
  std::vector<std::size_t> extents;
  bool is_complex = false;
  PAPILIO_API std::size_t count() const;
  bool operator==(const operand_shape&) const = default;
};
struct operand_shapes {
  std::vector<operand_shape> in, out;
  bool operator==(const operand_shapes&) const = default;
};
PAPILIO_API operand_shapes shapes_of(const operation& what);

/// Floating-point operations by convention: 5 N log2 N of complex transforms, half of it of real
/// ones (a segment of an STFT is one), 2 m k n of real products and 8 m k n of complex ones, 6 of a
/// product of two numbers, 2 for each product in the integrals of pair energies and integral
/// transforms, 0 of arrangements; of contractions those of their steps as products, 1 a product
/// without sums.
PAPILIO_API double nominal_flops(const operation& what);

}  // namespace papilio
