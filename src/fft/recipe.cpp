#include "papilio/fft/recipe.hpp"

namespace papilio {
namespace {

const char* name(recipe_kind kind) {
  switch (kind) {
    case recipe_kind::stockham:
      return "stockham";
    case recipe_kind::bluestein:
      return "bluestein";
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

}  // namespace

std::string to_string(const recipe& r) {
  std::string text;
  text.append("(").append(name(r.kind)).append(" ").append(std::to_string(r.n));
  for (std::size_t radix : r.radices) text.append(" ").append(std::to_string(radix));
  for (const recipe& part : r.parts) text.append(" ").append(to_string(part));
  return text.append(")");
}

}  // namespace papilio
