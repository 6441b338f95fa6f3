#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/base/export.hpp"

namespace papilio {
namespace fft_detail {
struct plan_access;
}

/// Algorithm of a recipe, with the parts that it is made of.
enum class recipe_kind {
  codelet,    ///< n a power of two, up to 8192: in registers or, if long, in the first caches
  two_step,   ///< columns of radices[0], transposed in registers, and rows; one radix: a butterfly
  direct,     ///< n odd, from 15 to 127: the sums themselves
  stockham,   ///< autosort passes, one for each of `radices`, in the order in which they run
  four_step,  ///< columns of a matrix [n1, n2], twiddles, columns of its transpose: two parts
  bluestein,  ///< chirp-z: one cyclic convolution by parts[0], of a length of at least 2n - 1
  rader,      ///< n prime: one cyclic convolution by parts[0], of length n - 1
  real,       ///< n reals: parts[0] has length n/2, and r2c unpacking (n even), or length n (odd)
  dct1,       ///< cosine transforms of n reals: parts[0] is real, of length 2(n-1)
  dct2,       ///< parts[0] is real, of length n
  dct3,       ///< likewise
  dct4,       ///< parts[0] is complex, of length n/2 (n even), or real, of length n (n odd)
  dst1,       ///< sine transforms: parts[0] is real, of length 2(n+1)
  dst2,       ///< as dct2
  dst3,       ///< as dct3
  dst4,       ///< as dct4
};

/// Algorithm by which a transform of length n is computed: a value that can be printed, compared
/// and kept. It owns no tables; a plan is built from it.
struct recipe {
  recipe_kind kind = recipe_kind::stockham;
  std::size_t n = 1;
  std::vector<std::size_t> radices;  ///< of codelet, two_step and stockham: their product is n
  std::vector<recipe> parts;         ///< transforms that this one is made of

  bool operator==(const recipe&) const = default;
};

/// Returns the text of a recipe, for example "(bluestein 1009 (stockham 2048 16 16 8))" or "(dct2
/// 12 (real 12 (stockham 6 2 3)))".
PAPILIO_API std::string to_string(const recipe& r);

/// Parses the text that to_string makes of a recipe.
/// Throws invalid_argument, with what was expected where or the rule that is broken, unless the
/// text is a recipe that can be built: a pass for every radix, radices that multiply to n, parts of
/// the lengths that the kind asks for.
PAPILIO_API recipe parse_recipe(std::string_view text);

}  // namespace papilio
