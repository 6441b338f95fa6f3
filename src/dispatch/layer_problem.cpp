#include <array>
#include <string_view>

#include "dispatch/problem_text.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/operation.hpp"

namespace papilio {

using base_detail::message;

namespace {

// Each function with its operands, which letters stand for:
//   z  complex, r  real            [rows, features]
//   c  complex, f  real            [features]
//   s  symmetric matrices, real    [3, features]
struct layer_row {
  layer_function function;
  const char *word, *name, *in, *out;
  double flops;  ///< for each complex number
};
constexpr std::array<layer_row, 18> rows_of{
    {{layer_function::crelu, "crelu", "crelu", "z", "z", 2},
     {layer_function::crelu_vjp, "crelu_vjp", "gradient of crelu", "zz", "z", 2},
     {layer_function::zrelu, "zrelu", "zrelu", "z", "z", 2},
     {layer_function::zrelu_vjp, "zrelu_vjp", "gradient of zrelu", "zz", "z", 2},
     {layer_function::modrelu, "modrelu", "modrelu", "zf", "z", 9},
     {layer_function::modrelu_vjp, "modrelu_vjp", "gradients of modrelu", "zfz", "zf", 22},
     {layer_function::real_mask, "real_mask", "real mask", "zr", "z", 2},
     {layer_function::real_mask_vjp, "real_mask_vjp", "gradients of a real mask", "zrz", "zr", 5},
     {layer_function::complex_mask_vjp, "complex_mask_vjp", "gradients of a complex mask", "zzz",
      "zz", 12},
     {layer_function::magnitude, "magnitude", "magnitudes", "z", "r", 4},
     {layer_function::magnitude_vjp, "magnitude_vjp", "gradient of magnitudes", "zr", "z", 7},
     {layer_function::power, "power", "powers", "z", "r", 3},
     {layer_function::power_vjp, "power_vjp", "gradient of powers", "zr", "z", 3},
     {layer_function::bias, "bias", "bias", "zc", "z", 2},
     {layer_function::batch_norm, "batch_norm", "batch normalisation", "zsc", "z", 24},
     {layer_function::batch_norm_vjp, "batch_norm_vjp", "gradients of batch normalisation", "zsz",
      "zsc", 54},
     {layer_function::running_norm, "running_norm", "normalisation", "zcssc", "z", 14},
     {layer_function::running_norm_vjp, "running_norm_vjp", "gradients of normalisation", "zcssz",
      "zsc", 30}}};

constexpr const layer_row& row_of(layer_function function) {
  return rows_of[static_cast<std::size_t>(function)];
}
static_assert([] {
  for (std::size_t i = 0; i < rows_of.size(); ++i)
    if (rows_of[i].function != static_cast<layer_function>(i)) return false;
  return true;
}());

bool has_operand(layer_function function, std::string_view letters) {
  return std::string_view(row_of(function).in).find_first_of(letters) != std::string_view::npos;
}

}  // namespace

const char* to_string(layer_function function) { return row_of(function).word; }

std::vector<layer_function> layer_functions() {
  std::vector<layer_function> all;
  for (const layer_row& row : rows_of) all.push_back(row.function);
  return all;
}

void layer_problem::require_valid(const char* caller) const {
  if (rows == 0 || features == 0)
    throw invalid_argument(message(caller,
                                   ": layer_problem: rows and features must be at least 1, "
                                   "got ",
                                   rows, " and ", features));
  if (has_operand(function, "s") && !(epsilon > 0))
    throw invalid_argument(
        message(caller, ": layer_problem: epsilon must be above 0, got ", epsilon));
}

std::string layer_problem::text() const {
  return message(row_of(function).name, " of ", rows, "x", features, " complex numbers in ",
                 to_string(type));
}

operand_shapes layer_problem::shapes() const {
  const auto of = [this](std::string_view letters) {
    std::vector<operand_shape> shapes;
    for (const char letter : letters) {
      std::vector<std::size_t> extents{features};
      if (letter == 'z' || letter == 'r') extents.insert(extents.begin(), rows);
      if (letter == 's') extents.insert(extents.begin(), 3);
      shapes.push_back({std::move(extents), letter == 'z' || letter == 'c'});
    }
    return shapes;
  };
  return {of(row_of(function).in), of(row_of(function).out)};
}

double layer_problem::nominal_flops() const {
  return row_of(function).flops * static_cast<double>(rows) * static_cast<double>(features);
}

}  // namespace papilio
