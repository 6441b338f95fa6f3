#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/internal.hpp"
#include "base/roots_of_unity.hpp"
#include "kernels/fields.hpp"

// A transform of lines is the DFT over the digits of n = r_1 r_2 ... r_T, one stage for
// each. After t stages, with R_t = r_1 ... r_t, an element is a row k < R_t, of which the points
// j < n / R_t are still to be summed.
//   coefficient   a stage from R to R r gives element (k', j') the sum over the elements (k, j) with
//                 k = k' mod R and j = j' mod n / (R r) of w(R r)^(j div (n / (R r)) k')
//   real lines    rows k and -k are conjugate: one of each pair is kept, and of a row that is its
//                 own mirror image the real part
//   transposed    the transposed matrices in reverse order: the inverse, with bins that stand for
//                 their mirror images times 2
//   several axes  n is their extents' product, the first axis most significant in points and least
//                 in rows; a digit may be of parts of axes that follow each other, each with its own
//                 roots. Sweeps before may have transformed the first digits of the first axis:
//                 `rows_before` rows, of which lines are one
namespace papilio::kernels_detail {

struct PAPILIO_INTERNAL transform_formula {
  std::vector<std::int64_t> radices = {};  ///< most significant digit of a point first
  bool real = false;                       ///< points are real; bins are 0 ... n / 2
  bool transposed = false;                 ///< from bins to points, exponents positive
  bool conjugated = false;                 ///< exponents change their sign
  /// Bins of real lines are the numbers of a cosine transform: the real part of bin k is number k, the
  /// imaginary part, negated, is number n - k. No bin stands for two where it is transposed.
  bool cosine = false;
  double scale = 1;
  std::vector<std::int64_t> extents =
      {};  ///< of several axes of complex lines; empty: there is one
  std::int64_t rows_before = 1;
  /// Diagonals on the points and on the bins, conjugated where transposed; none: 1. Real points have
  /// real ones.
  std::vector<std::complex<double>> point_factors = {}, bin_factors = {};

  std::int64_t n() const;
  std::int64_t bins() const { return real ? n() / 2 + 1 : n(); }
  int stages() const { return int(radices.size()); }
  /// R_t.
  std::int64_t rows_after(int t) const;
  /// How many rows the axes have that are before that in which digit t begins.
  std::int64_t rows_of_axes_before(int t) const;
  /// Whether the matrices of stage t depend on the row that sweeps before have left.
  bool varies(int t) const { return rows_before > 1 && rows_of_axes_before(t) == 1; }
  /// Whether no digit divides a part of an axis.
  bool is_cut_well() const;

  auto fields() const {
    return std::tie(radices, real, transposed, conjugated, cosine, scale, extents, rows_before,
                    point_factors, bin_factors);
  }
  /// "1024 = 32 x 32".
  std::string describe() const;
};

/// One number that lies between two stages: of a batch line, the real or imaginary part (plane 0
/// or 1) of row k, point j.
struct transform_element {
  std::int64_t k = 0, j = 0, line = 0;
  int plane = 0;
};

/// The elements of `lines` lines after t stages, in the order of k, plane, line, j. `whole`: with
/// the imaginary parts of all bins, also those that are 0.
PAPILIO_INTERNAL std::vector<transform_element> elements_after(const transform_formula& f, int t,
                                                               std::int64_t lines, bool whole);

/// How the product of stage t, t = 0 ... T - 1 of the transform forward, counts element `in` of the
/// elements after t stages in element `out` of those after t + 1, diagonals included. The transposed
/// stage has the same number. `row`: of the rows before.
class PAPILIO_INTERNAL stage_coefficient {
 public:
  stage_coefficient(const transform_formula& f, int t, std::int64_t row = 0);
  double operator()(const transform_element& in, const transform_element& out) const;

 private:
  const transform_formula& f_;
  std::int64_t before_, all_, left_;  // R_t, R_{t+1}, n / R_{t+1}
  // The part of one axis in a digit d, of the rows k: exponent (d / inside % radix) times
  // (row + before (k / aside % rows)).
  struct part {
    std::int64_t inside, radix, aside, rows, before;
    base_detail::roots_of_unity<double> root;
  };
  std::int64_t row_;
  bool first_, last_;
  std::vector<part> parts_;
};

/// The product of the last digit of complex lines there, times the bins' factors, and back: how
/// point `in` of a row counts in point `out` of it, which depends on their distance alone.
class PAPILIO_INTERNAL round_trip_coefficient {
 public:
  explicit round_trip_coefficient(const transform_formula& f);
  double operator()(const transform_element& in, const transform_element& out) const;

 private:
  std::int64_t radix_;
  std::vector<std::complex<double>> of_distance_ = {};  // [row, distance + radix - 1]
};

}  // namespace papilio::kernels_detail
