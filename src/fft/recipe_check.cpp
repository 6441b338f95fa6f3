#include "fft/recipe_check.hpp"

#include <cstdint>
#include <limits>

#include "fft/codelet.hpp"
#include "fft/direct.hpp"
#include "fft/four_step.hpp"
#include "fft/pass.hpp"
#include "fft/prime.hpp"
#include "fft/two_step.hpp"
#include "papilio/base/error.hpp"

namespace papilio::fft_detail {
namespace {

void require(bool holds, const recipe& r, const char* rule) {
  if (holds) return;
  std::string name = to_string(r);
  if (name.size() > 80) name.replace(80, name.npos, "...");
  throw invalid_argument("parse_recipe: " + name + ": " + rule);
}

// One part, complex.
void require_part(const recipe& r) {
  require(r.parts.size() == 1, r, "it has one part, a recipe in parentheses");
  require(r.radices.empty(), r, "only codelet, two_step and stockham have radices");
  require(is_complex(r.parts[0]), r, "its part must be complex");
  require_valid(r.parts[0]);
}

// One part, real, of the given length.
void require_real_part(const recipe& r, std::size_t length, const char* rule) {
  require(r.parts.size() == 1, r, "it has one part, a recipe in parentheses");
  require(r.radices.empty(), r, "only codelet, two_step and stockham have radices");
  require(r.parts[0].kind == recipe_kind::real, r, "its part must be real");
  require(r.parts[0].n == length, r, rule);
  require_valid(r.parts[0]);
}

void require_stockham(const recipe& r) {
  require(r.parts.empty(), r, "it has no parts");
  std::size_t product = 1;
  for (const std::size_t radix : r.radices) {
    require(has_pass(radix), r, "a radix must be 2, 4, 8, 16, or odd from 3 to 61");
    require(!__builtin_mul_overflow(product, radix, &product), r, "the radices must multiply to n");
  }
  require(product == r.n, r, "the radices must multiply to n");
}

void require_codelet(const recipe& r) {
  require(design_codelet(r.n) == r, r, "no codelet has this length and these factors");
}

void require_four_step(const recipe& r) {
  require(r.parts.size() == 2, r, "it has two parts, recipes in parentheses");
  require(r.radices.empty(), r, "only codelet, two_step and stockham have radices");
  std::size_t product = 1;
  for (const recipe& part : r.parts) {
    require(part.kind == recipe_kind::stockham, r, "its parts must be stockham");
    require(part.n >= least_four_step_factor, r, "its parts must have a length of at least 16");
    require_stockham(part);
    require(!__builtin_mul_overflow(product, part.n, &product), r, "its parts must multiply to n");
  }
  require(product == r.n, r, "its parts must multiply to n");
}

// More than 8 n would only waste memory; no cheapest length is so large.
void require_bluestein(const recipe& r) {
  require_part(r);
  const std::size_t m = r.parts[0].n;
  require(r.n >= 2, r, "n must be at least 2");
  require(m / 2 + m % 2 >= r.n, r, "its part must have a length of at least 2 n - 1");
  require(m / 8 <= r.n, r, "its part must have a length of about 8 n at most");
}

void require_rader(const recipe& r) {
  require_part(r);
  require(r.n >= 3 && r.n <= std::numeric_limits<std::uint32_t>::max() &&
              is_prime(static_cast<std::uint32_t>(r.n)),
          r, "n must be an odd prime less than 2^32");
  require(r.parts[0].n == r.n - 1, r, "its part must have the length n - 1");
}

void require_real(const recipe& r) {
  require_part(r);
  require(r.parts[0].n == (r.n % 2 == 0 ? r.n / 2 : r.n), r,
          "its part must have the length n / 2, or n where n is odd");
}

void require_type_1(const recipe& r) {
  const bool is_sine = r.kind == recipe_kind::dst1;
  require(is_sine || r.n >= 2, r, "n must be at least 2");
  require_real_part(r, is_sine ? 2 * (r.n + 1) : 2 * (r.n - 1),
                    is_sine ? "its part must have the length 2 (n + 1)"
                            : "its part must have the length 2 (n - 1)");
}

void require_type_4(const recipe& r) {
  if (r.n % 2 == 1) return require_real_part(r, r.n, "its part must have the length n");
  require_part(r);
  require(r.parts[0].n == r.n / 2, r, "its part must have the length n / 2");
}

}  // namespace

bool is_complex(const recipe& r) {
  return r.kind == recipe_kind::codelet || r.kind == recipe_kind::two_step ||
         r.kind == recipe_kind::direct || r.kind == recipe_kind::stockham ||
         r.kind == recipe_kind::four_step || r.kind == recipe_kind::bluestein ||
         r.kind == recipe_kind::rader;
}

const char* kind_name(recipe_kind kind) {
  switch (kind) {
    case recipe_kind::codelet:
      return "codelet";
    case recipe_kind::two_step:
      return "two_step";
    case recipe_kind::direct:
      return "direct";
    case recipe_kind::four_step:
      return "four_step";
    case recipe_kind::stockham:
      return "stockham";
    case recipe_kind::bluestein:
      return "bluestein";
    case recipe_kind::rader:
      return "rader";
    case recipe_kind::real:
      return "real";
    case recipe_kind::dct1:
      return "dct1";
    case recipe_kind::dct2:
      return "dct2";
    case recipe_kind::dct3:
      return "dct3";
    case recipe_kind::dct4:
      return "dct4";
    case recipe_kind::dst1:
      return "dst1";
    case recipe_kind::dst2:
      return "dst2";
    case recipe_kind::dst3:
      return "dst3";
    case recipe_kind::dst4:
      return "dst4";
  }
  return "";
}

void require_valid(const recipe& r) {
  require(r.n >= 1, r, "n must be at least 1");
  switch (r.kind) {
    case recipe_kind::codelet:
      return require_codelet(r);
    case recipe_kind::two_step:
      return require(has_two_step(r), r,
                     "radices of 2 ... 10, 12, 15 or 16 must multiply to n, at most 2048");
    case recipe_kind::direct:
      return require(design_direct(r.n) == r, r, "n must be odd, from 15 to 127, without radices");
    case recipe_kind::four_step:
      return require_four_step(r);
    case recipe_kind::stockham:
      return require_stockham(r);
    case recipe_kind::bluestein:
      return require_bluestein(r);
    case recipe_kind::rader:
      return require_rader(r);
    case recipe_kind::real:
      return require_real(r);
    case recipe_kind::dct1:
    case recipe_kind::dst1:
      return require_type_1(r);
    case recipe_kind::dct2:
    case recipe_kind::dct3:
    case recipe_kind::dst2:
    case recipe_kind::dst3:
      return require_real_part(r, r.n, "its part must have the length n");
    case recipe_kind::dct4:
    case recipe_kind::dst4:
      return require_type_4(r);
  }
}

}  // namespace papilio::fft_detail
