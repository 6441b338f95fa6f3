#include "papilio/fft/recipe.hpp"

namespace papilio {
namespace {

const char* name(recipe_kind kind) {
  switch (kind) {
    case recipe_kind::stockham:
      return "stockham";
    case recipe_kind::bluestein:
      return "bluestein";
    case recipe_kind::rader:
      return "rader";
    case recipe_kind::real:
      return "real";
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
