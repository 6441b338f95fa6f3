#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/internal.hpp"
#include "base/roots_of_unity.hpp"
#include "kernels/fields.hpp"

// The DFT of lines of n = r_1 r_2 ... r_T points, as T stages that sum one digit each. With
// R_t = r_1 ... r_t, an element after t stages is (k, j): row k < R_t of the spectrum so far, point
// j < n / R_t that is still to be summed.
//   coefficient   a stage from R = R_t to R r computes element (k', j') as the sum over all (k, j)
//                 with k = k' mod R and j = j' mod n / (R r) of w(R r)^(j div (n / (R r)) k') times
//                 element (k, j); the twiddle factors are inside
//   real lines    rows k and R - k are conjugate: one of each pair is kept, and the real part alone
//                 of a row that is its own mirror image
//   transposed    the transposed matrices in reverse order compute the inverse; bins that stand for
//                 their mirror images too count twice
//   several axes  n is the product of their extents. The first axis is the most significant in
//                 points, the least significant in rows; a digit may span parts of consecutive
//                 axes, each with its own roots. Earlier sweeps may have transformed the first
//                 digits of the first axis: then a line is one of their `rows_before` rows
namespace papilio::kernels_detail {

struct PAPILIO_INTERNAL transform_formula {
  std::vector<std::int64_t> radices = {};  ///< most significant digit of a point first
  bool real = false;                       ///< points are real; bins are 0 ... n / 2
  bool transposed = false;                 ///< from bins to points, exponents positive
  bool conjugated = false;                 ///< exponents change their sign
  /// Bins of real lines become the numbers of a cosine transform: the real part of bin k is number
  /// k, the negated imaginary part is number n - k. No bin counts twice where it is transposed.
  bool cosine = false;
  double scale = 1;
  std::vector<std::int64_t> extents =
      {};  ///< of several axes of complex lines; empty: there is one
  std::int64_t rows_before = 1;
  /// Diagonals on the points and on the bins, conjugated where transposed; empty: 1. Factors of
  /// real points are real.
  std::vector<std::complex<double>> point_factors = {}, bin_factors = {};

  std::int64_t n() const;
  std::int64_t bins() const { return real ? n() / 2 + 1 : n(); }
  int stages() const { return int(radices.size()); }
  /// R_t, the number of rows after t stages.
  std::int64_t rows_after(int t) const;
  /// Product of the extents of the axes before the one in which digit t begins.
  std::int64_t rows_of_axes_before(int t) const;
  /// Whether the matrices of stage t depend on the row that earlier sweeps have computed.
  bool varies(int t) const { return rows_before > 1 && rows_of_axes_before(t) == 1; }
  /// Whether the bounds of axes and of digits nest: each digit's bound is at an axis' bound, or
  /// divides the axis evenly.
  bool is_cut_well() const;

  auto fields() const {
    return std::tie(radices, real, transposed, conjugated, cosine, scale, extents, rows_before,
                    point_factors, bin_factors);
  }
  /// "1024 = 32 x 32".
  std::string describe() const;
};

/// A real number between two stages: the real or imaginary part (plane 0 or 1) of row k, point j,
/// of a line.
struct transform_element {
  std::int64_t k = 0, j = 0, line = 0;
  int plane = 0;
};

/// Lists the elements of `lines` lines after t stages, in the order of k, plane, line, j. `whole`
/// includes imaginary parts of bins that are 0.
PAPILIO_INTERNAL std::vector<transform_element> elements_after(const transform_formula& f, int t,
                                                               std::int64_t lines, bool whole);

/// The coefficient of element `in`, after t stages, in element `out`, after t + 1 stages of the
/// forward transform, diagonals included; the transposed stage has the same coefficient. `row` is
/// the row that earlier sweeps have computed.
class PAPILIO_INTERNAL stage_coefficient {
 public:
  stage_coefficient(const transform_formula& f, int t, std::int64_t row = 0);
  double operator()(const transform_element& in, const transform_element& out) const;

 private:
  const transform_formula& f_;
  std::int64_t before_, all_, left_;  // R_t, R_{t+1}, n / R_{t+1}
  // A digit's part of one axis multiplies the exponent (d / inside % radix) by
  // (row + before (k / aside % rows)) for digit d and row k.
  struct part {
    std::int64_t inside, radix, aside, rows, before;
    base_detail::roots_of_unity<double> root;
  };
  std::int64_t row_;
  bool first_, last_;
  std::vector<part> parts_;
};

/// The last digit of a forward transform, the factors of bins, and the first digit of the transform
/// back as one Toeplitz matrix for each row: its coefficient depends on the distance of point `out`
/// from point `in` alone. Lines are complex.
class PAPILIO_INTERNAL round_trip_coefficient {
 public:
  explicit round_trip_coefficient(const transform_formula& f);
  double operator()(const transform_element& in, const transform_element& out) const;

 private:
  std::int64_t radix_;
  std::vector<std::complex<double>> of_distance_ = {};  // [row, distance + radix - 1]
};

}  // namespace papilio::kernels_detail
