#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/triangle.hpp"
#include "papilio/base/vocabulary.hpp"

// Operands and sizes of the problems below.
namespace papilio {

/// Shape of an array that an operation reads or writes.
struct operand_shape {
  std::vector<std::size_t> extents;
  bool is_complex = false;
  PAPILIO_API std::size_t count() const;
  bool operator==(const operand_shape&) const = default;
};

/// Shapes of an operation's inputs and outputs.
struct operand_shapes {
  std::vector<operand_shape> in, out;
  bool operator==(const operand_shapes&) const = default;
};

/// Copy of boxes of an array to places of another, with zeros elsewhere: cuts, padding, rolls. Real
/// to complex sets imaginary parts to 0, complex to real drops them.
struct PAPILIO_API arrangement_problem {
  struct box {
    std::vector<std::size_t> from, to, extents;
    bool operator==(const box&) const = default;
  };
  std::vector<std::size_t> in_extents, out_extents;
  bool complex_in = false, complex_out = false;
  std::vector<box> boxes;
  double scale_re = 1, scale_im = 1;

  /// Throws invalid_argument, in the name of `function`, for extents of other ranks, and boxes
  /// outside an array.
  void require_valid(const char* function) const;
  std::string text() const;  ///< for example "arrangement of 4x4 in 8x8"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< 0
  bool operator==(const arrangement_problem&) const = default;
};

/// Contraction of tensors as sums of products, step by step. Labels are 0 ... sizes.size() - 1.
struct PAPILIO_API contraction_problem {
  /// Value with the labels of its axes; a repeated label takes its diagonal.
  struct term {
    std::size_t value = 0;  ///< of the operands, then the results of the steps before
    std::vector<int> labels = {};
    bool conjugate = false;  ///< of complex numbers
    bool operator==(const term&) const = default;
  };
  /// Step that sums the products of two terms over the labels that the result does not have, or
  /// takes sums, diagonals and permutations of one.
  struct step {
    std::vector<term> of = {};     ///< one or two
    std::vector<int> labels = {};  ///< of the result, none twice, each of a term
    bool operator==(const step&) const = default;
  };
  std::vector<std::size_t> sizes = {};                  ///< by label
  std::vector<std::vector<std::size_t>> operands = {};  ///< extents
  std::vector<step> steps = {};
  std::vector<std::size_t> results = {};  ///< values: of steps, none twice
  /// Loop of the steps `first` to `last` over each value of the labels, one after the other, before
  /// the next step. Intermediates do not have these labels, operands and the last step's result
  /// may. That is the only value that other steps read; what is summed over the labels is added up.
  struct loop {
    std::vector<int> labels = {};
    std::size_t first = 0, last = 0;
    bool operator==(const loop&) const = default;
  };
  std::vector<loop> loops = {};  ///< in the order of their steps, none of which is in two
  bool is_complex = false;
  real_type type = real_type::single_precision;

  /// Throws invalid_argument, in the name of `function`, for labels and values that do not exist,
  /// terms whose labels' sizes are not those of the value, and steps, results and loops that break
  /// the rules above; resource_error if the number of elements overflows.
  void require_valid(const char* function) const;
  std::string text() const;  ///< for example "contraction of 3 tensors in 2 steps, float"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< of the steps as products of matrices; 1 a product without sums
  bool operator==(const contraction_problem&) const = default;
};

/// Kind of a Fourier problem by its input and output.
///   complex       complex to complex
///   real          n reals to the half spectrum of n/2 + 1 bins; inverse: back
///   cosine, sine  reals to reals, of types 1 to 4 as scipy.fft defines them
enum class fft_kind { complex, real, cosine, sine };

/// Returns for example "real".
PAPILIO_API const char* to_string(fft_kind kind);

/// Fourier problem: everything that decides how a transform is computed, as a value that can be
/// compared, kept and printed.
///
/// One extent: a line of that length, transformed along any axis of arrays of any shape. More: a
/// whole array of these extents (of the real array, for real kinds), transformed over `axes`, of
/// which the last is the one that is halved in the spectrum of real kinds.
struct PAPILIO_API fft_problem {
  fft_kind kind = fft_kind::complex;
  direction dir = direction::forward;
  real_type type = real_type::double_precision;
  normalization norm = normalization::backward;
  std::vector<std::size_t> extents = {1};
  std::vector<std::size_t> axes = {0};  ///< distinct, each less than extents.size()
  int trigonometric_type = 0;           ///< 1 to 4 for cosine and sine kinds, else 0
  bool measured = false;                ///< whether candidates are timed while the plan is made
  /// Real kinds: the adjoint of the transform in the other direction, with that one's factor: of
  /// bins the sum over each once, of reals the bins with those that stand for their mirror images
  /// too twice.
  bool adjoint = false;

  bool is_line() const { return extents.size() == 1; }
  bool is_inverse() const { return dir == direction::inverse; }
  bool is_complex() const { return kind == fft_kind::complex; }
  bool is_trigonometric() const { return kind == fft_kind::cosine || kind == fft_kind::sine; }
  bool is_real(direction of) const { return kind == fft_kind::real && dir == of; }

  /// Scale factor of every output under norm and direction (of adjoints the other one): 1,
  /// 1/sqrt(N) or 1/N, N the product of
  /// the transformed lengths; of cosine and sine transforms, whose matrix orthonormal makes
  /// orthogonal, 2n, and 2 (n - 1) and 2 (n + 1) of their types 1.
  double scale() const;

  /// Throws invalid_argument, in the name of `function`, unless the problem is well formed: extents
  /// of at least 1, axes in range and distinct, a type for cosine and sine kinds and none for
  /// others; a real kind has an axis, and a cosine or sine problem one; adjoints are real kinds.
  void require_valid(const char* function) const;
  std::string text() const;  ///< for example "fft of 128x1024 in double along axes 0, 1"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< 5 N log2 N of complex transforms, half of it of real ones
  bool operator==(const fft_problem&) const = default;
};

/// Products of matrices C[i] = op(A[i]) op(B[i]), i < batch: [batch, m, k] times [batch, k, n]; a
/// shared operand has batch 1.
struct PAPILIO_API gemm_problem {
  std::size_t batch = 1, m = 1, k = 1, n = 1;
  bool shared_left = false, shared_right = false, is_complex = false;
  real_type type = real_type::single_precision;

  std::string text() const;  ///< for example "gemm of 128x256 by 256x64 in float"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< 2 m k n, of complex numbers 8 m k n
  bool operator==(const gemm_problem&) const = default;
};

/// Transform of three-index integrals to molecular orbitals, [nocc, nvir, naux], from those over
/// atomic ones, [naux, nbasis, nbasis], and the orbitals' coefficients [nbasis, nocc] and [nbasis,
/// nvir]; with a metric, [naux, naux], multiplied by it over the auxiliary functions.
struct PAPILIO_API integral_transform_problem {
  std::size_t nbasis = 1, nocc = 1, nvir = 1, naux = 1;
  bool has_metric = false;
  real_type type = real_type::single_precision;

  /// For example "integrals over 5x19 orbitals from 24 basis and 72 auxiliary functions in float".
  std::string text() const;
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< 2 for each product
  bool operator==(const integral_transform_problem&) const = default;
};

/// Second-order energies of pairs of electrons that are summed, and returned in this order.
///   closed_shell   those of opposite spins, then those of equal ones
///   same_spin      those of one spin
///   opposite_spin  those of two spins with orbitals of their own
enum class pair_spins { closed_shell, same_spin, opposite_spin };

/// Selects the energies or one of their derivatives.
///   energies  takes the orbitals, and returns the energies
///   vjp       takes the orbitals and the gradients of a real loss by the energies, and returns the
///             loss's gradients by the orbitals; frozen orbitals have gradients of 0
///   jvp       takes the orbitals and changes of them, and returns the changes of the energies
enum class pair_function { energies, vjp, jvp };

/// Returns "MP2 energy", "MP2 gradients" or "MP2 tangents".
PAPILIO_API const char* to_string(pair_function function);

/// MP2 energies from density-fitted integrals: B [nocc, nvir, naux] and the energies [nocc], [nvir]
/// of its orbitals, each occupied one below each virtual one, for opposite_spin then the same three
/// of the other spin, to [2] or [1] energies.
struct PAPILIO_API pair_energy_problem {
  std::size_t nocc = 1, nvir = 1, naux = 1;
  pair_spins spins = pair_spins::closed_shell;
  pair_function function = pair_function::energies;
  std::size_t nocc_other = 1, nvir_other = 1;  ///< of opposite_spin
  std::size_t frozen = 0;  ///< first occupied orbitals of each spin that are left out
  real_type type = real_type::single_precision;

  /// Number of pairs of occupied orbitals, i <= j or of two spins.
  double pairs() const;

  std::string text()
      const;  ///< for example "MP2 energy of 5x19 orbitals, 72 auxiliary functions in float"
  operand_shapes shapes() const;
  /// 2 for each product in the integrals; of vjp and jvp all (ia|jb) and as many products again.
  double nominal_flops() const;
  bool operator==(const pair_energy_problem&) const = default;
};

/// Product of complex numbers element by element, out[i] = a[i] b[i]. With `factors`, whose number
/// divides count, there is one operand: out[i] = a[i] factors[i mod their number].
struct PAPILIO_API product_problem {
  std::size_t count = 1;
  std::vector<std::complex<float>> factors = {};
  real_type type = real_type::single_precision;

  std::string text() const;  ///< for example "product of 4 complex numbers"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< 6 a product
  bool operator==(const product_problem&) const = default;
};

/// Functions of complex numbers z, [rows, features], of which layers of networks are made, and
/// gradients of real losses, from g by the result: their operands in order, and their results.
///   crelu, zrelu            z: complex_relu; _vjp: z, g; to that by z
///   modrelu                 z, b: complex_modrelu, b [features] real; _vjp: z, b, g; by z and b
///   real_mask               z, m: their product, m real as z; _vjp: z, m, g; by z and m
///   complex_mask_vjp        z, m, g; by z and m, of a product_problem
///   magnitude, power        z: |z|, |z|^2; _vjp: z, g by that, real; by z
///   batch_norm              z, gamma, beta: complex_batch_norm_training over the rows, gamma [3,
///                           features] real, beta [features] complex; _vjp: z, gamma, g; by z,
///                           gamma and beta
///   bias                    z, c: their sum, c [features] complex
///   running_norm            z, mean, covariance, gamma, beta: complex_batch_norm, mean as beta and
///                           covariance as gamma; _vjp: z, mean, covariance, gamma, g
enum class layer_function {
  crelu,
  crelu_vjp,
  zrelu,
  zrelu_vjp,
  modrelu,
  modrelu_vjp,
  real_mask,
  real_mask_vjp,
  complex_mask_vjp,
  magnitude,
  magnitude_vjp,
  power,
  power_vjp,
  bias,
  batch_norm,
  batch_norm_vjp,
  running_norm,
  running_norm_vjp
};

/// Returns for example "modrelu_vjp".
PAPILIO_API const char* to_string(layer_function function);
/// Returns all functions.
PAPILIO_API std::vector<layer_function> layer_functions();

/// Function of complex numbers, element by element.
struct PAPILIO_API layer_problem {
  layer_function function = layer_function::crelu;
  std::size_t rows = 1, features = 1;
  double epsilon = 0;  ///< of normalisations, added to both variances
  real_type type = real_type::single_precision;

  /// Throws invalid_argument, in the name of `caller`, for rows or features of 0, and for
  /// normalisations unless epsilon is above 0.
  void require_valid(const char* caller) const;
  std::string text() const;  ///< for example "modrelu of 8x64 complex numbers in float"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< additions and multiplications of the host's formula
  bool operator==(const layer_problem&) const = default;
};

/// Products and systems of matrices of which one triangle is given or made.
///   symm  A, B, and where beta is not 0 C0: alpha A B + beta C0, on the right alpha B A + beta C0,
///         A symmetric
///   syrk  A, and where beta is not 0 C0: one triangle of alpha A A^T + beta C0, A [n, k], or of
///         alpha A^T A + beta C0, A [k, n]; C and C0 lie as triangle_problem::layout says
///   trmm  A, B: alpha op(A) B, on the right alpha B op(A), A triangular
///   trsm  A, B: the X of op(A) X = alpha B, on the right of X op(A) = alpha B, A triangular
enum class triangle_function { symm, syrk, trmm, trsm };

/// Returns for example "trsm".
PAPILIO_API const char* to_string(triangle_function function);

/// Level 3 of BLAS: B and C are [m, n], and A is square, of m rows on the left and n on the right.
/// alpha and beta are part of the program of an accelerator.
struct PAPILIO_API triangle_problem {
  triangle_function function = triangle_function::symm;
  std::size_t m = 1, n = 1;  ///< of B and C; of syrk n alone
  std::size_t k = 1;         ///< of syrk
  matrix_side side = matrix_side::left;
  matrix_triangle triangle = matrix_triangle::lower;  ///< of A, of syrk that of C
  bool transposed = false;                            ///< op(A) = A^T; not of symm
  bool unit = false;                                  ///< A's diagonal is ones: trmm, trsm
  double alpha = 1, beta = 0;                         ///< beta of symm and syrk
  bool is_complex = false;
  real_type type = real_type::single_precision;

  /// Side of the blocks in which an accelerator stores one triangle.
  static constexpr std::int64_t block = 128;
  /// Returns how a triangle of syrk lies.
  triangle_layout layout() const;
  /// Returns the rows of A, of syrk those of C.
  std::size_t order() const;

  /// Throws invalid_argument, in the name of `caller`, for sizes of 0, and an alpha or beta that is
  /// not finite.
  void require_valid(const char* caller) const;
  std::string text() const;  ///< for example "trsm of 64x32 by a lower triangle in float"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< 2 for each product of symm, half of it of the others
  bool operator==(const triangle_problem&) const = default;
};

/// Short-time Fourier transforms of `channels` signals: [channels, samples] to [channels, segments,
/// bins] (mel: bands). Segment s begins at sample s hop (less n_fft / 2 if centred).
struct PAPILIO_API stft_problem {
  std::size_t channels = 1, samples = 1, n_fft = 2048, hop = 512;
  std::vector<float> window = {};  ///< n_fft weights with every scaling; empty: ones
  bool centre = true;
  edge_padding padding = edge_padding::zero;
  spectrum_form result = spectrum_form::complex;
  float floor = 1e-10F;         ///< of decibel
  std::vector<float> mel = {};  ///< [bands, bins], row by row, finite; of mel and decibel alone
  bool pad_end = false;         ///< zeros follow the signal, as its last samples need
  bool two_sided = false;       ///< bins 0 ... n_fft - 1
  bool halved_ends = false;     ///< bin 0 and, of an even n_fft, bin n_fft / 2 times 1 / 2
  /// The adjoint of the inverse transform instead, with its window: see stft_kernel.
  bool adjoint = false;
  std::size_t inverted_segments = 0;  ///< of adjoints: those that the inverse takes
  real_type type = real_type::single_precision;

  std::size_t bins() const { return two_sided ? n_fft : n_fft / 2 + 1; }
  std::size_t bands() const { return bins() == 0 ? 0 : mel.size() / bins(); }
  std::size_t segments() const;

  /// Throws invalid_argument, in the name of `function`, for an n_fft or hop of 0, a window that is
  /// not n_fft weights, a matrix of bands that is not whole bands of finite weights, or is not
  /// used, and an adjoint that is not complex, has other padding than zeros or no segment.
  void require_valid(const char* function) const;
  std::string text() const;  ///< for example "stft of 16000 samples, n_fft 512, hop 128"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< 2.5 n_fft log2 n_fft a segment
  bool operator==(const stft_problem&) const = default;
};

/// Inverse short-time transforms by overlap-add of [channels, segments, bins], divided by the sum
/// of the windows' squares, to samples `first` ... of signals, [channels, samples].
struct PAPILIO_API istft_problem {
  std::size_t channels = 1, segments = 1, samples = 1, first = 0, n_fft = 2048, hop = 512;
  std::vector<float> window = {};
  bool centre = true;
  bool adjoint =
      false;  ///< the adjoint of the forward transform, not its inverse: see istft_kernel
  bool two_sided = false, halved_ends = false;  ///< what the transforms were, as of stft_problem
  real_type type = real_type::single_precision;

  std::size_t bins() const { return two_sided ? n_fft : n_fft / 2 + 1; }

  /// Throws invalid_argument, in the name of `function`, for an n_fft or hop of 0, and a window
  /// that is not n_fft weights.
  void require_valid(const char* function) const;
  std::string text()
      const;  ///< for example "istft of 5 segments to 16000 samples, n_fft 512, hop 128"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< as of stft_problem
  bool operator==(const istft_problem&) const = default;
};

}  // namespace papilio

// Operations as values that can be compared, kept and printed. An accelerator runs each of them in
// one launch.
namespace papilio {

/// Operation of any kind. An fft_problem here has the extents of the whole array. Accelerators
/// refuse types other than single_precision.
using operation =
    std::variant<fft_problem, stft_problem, istft_problem, product_problem, gemm_problem,
                 pair_energy_problem, integral_transform_problem, arrangement_problem,
                 contraction_problem, layer_problem, triangle_problem>;

/// Returns for example "gemm of 128x256 by 256x64 in float".
PAPILIO_API std::string to_string(const operation& what);

/// Returns the shapes of an operation's inputs and outputs.
PAPILIO_API operand_shapes shapes_of(const operation& what);

/// Throws invalid_argument, in the name of `function`, as the problem's own require_valid.
PAPILIO_API void require_valid(const char* function, const operation& what);

/// Returns the floating-point operations by convention: 5 N log2 N of complex transforms, half of
/// it of real ones (a segment of an STFT is one), 2 m k n of real products and 8 m k n of complex
/// ones, 6 of a product of two numbers, 2 for each product in the integrals of pair energies and
/// integral transforms, 0 of copies and padding; of contractions those of their steps as products,
/// 1 a product without sums; of layers those of their formulas; of products with triangles those
/// of the elements that are given.
PAPILIO_API double nominal_flops(const operation& what);

}  // namespace papilio
