#include "papilio/fft/recipe.hpp"

#include "fft/recipe_check.hpp"

namespace papilio {

std::string to_string(const recipe& r) {
  std::string text;
  text.append("(").append(fft_detail::kind_name(r.kind)).append(" ").append(std::to_string(r.n));
  for (std::size_t radix : r.radices) text.append(" ").append(std::to_string(radix));
  for (const recipe& part : r.parts) text.append(" ").append(to_string(part));
  return text.append(")");
}

}  // namespace papilio
