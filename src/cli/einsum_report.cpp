#include "cli/einsum_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "cli/common.hpp"

namespace papilio::cli {
namespace {

std::string shape_text(std::span<const std::size_t> extents) {
  return extents.empty() ? "one number" : fmt::format("{}", fmt::join(extents, " x "));
}

template <class R>
std::string number_text(R value) {
  return fmt::format("{:.6g}", value);
}
template <class R>
std::string number_text(const std::complex<R>& value) {
  return fmt::format("{:.6g}{:+.6g}i", value.real(), value.imag());
}

template <class R>
json_value number_json(R value) {
  return std::isfinite(value) ? json_value(value) : json_value();
}
template <class R>
json_value number_json(const std::complex<R>& value) {
  return {number_json(value.real()), number_json(value.imag())};
}

bool is_finite(double value) { return std::isfinite(value); }
bool is_finite(const std::complex<double>& value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

struct summary {
  std::size_t not_finite = 0;
  double largest = 0;           ///< magnitude
  double root_mean_square = 0;  ///< both of the finite elements; 0 if there are none
};

// Squares are of magnitudes over the largest, so that none overflows.
template <class T>
summary summary_of(const tensor<T>& values) {
  using wide = std::conditional_t<std::is_floating_point_v<T>, double, std::complex<double>>;
  summary s;
  const auto each_finite = [&](auto&& take) {
    for (const T& v : values.flat())
      if (is_finite(wide(v))) take(std::abs(wide(v)));
  };
  std::size_t count = 0;
  each_finite([&](double magnitude) {
    s.largest = std::max(s.largest, magnitude);
    ++count;
  });
  s.not_finite = values.size() - count;
  if (s.largest == 0) return s;
  double sum = 0;
  each_finite([&](double magnitude) { sum += std::pow(magnitude / s.largest, 2); });
  s.root_mean_square = s.largest * std::sqrt(sum / static_cast<double>(count));
  return s;
}

/// "[1, 0, :, :]" of the matrix that begins at element `at`.
std::string matrix_label(std::span<const std::size_t> extents, std::size_t at) {
  std::string text = ":, :";
  at /= extents[extents.size() - 1] * extents[extents.size() - 2];
  for (std::size_t axis = extents.size() - 2; axis-- > 0; at /= extents[axis])
    text.insert(0, fmt::format("{}, ", at % extents[axis]));
  return fmt::format("[{}]\n", text);
}

}  // namespace

std::string report_text(const einsum_facts& facts, const contraction_plan& plan) {
  std::string text;
  for (std::size_t k = 0; k < facts.files.size(); ++k)
    text += fmt::format("{:<9} {}, {}, {}{}\n", k == 0 ? "operands" : "", printable(facts.files[k]),
                        shape_text(facts.operands[k].extents), facts.operands[k].element_type,
                        facts.operands[k].fortran_order ? " in Fortran order" : "");
  text += fmt::format("result    {}, {}\n", shape_text(plan.extents()), facts.type);
  if (!facts.out.empty()) text += fmt::format("out       {}\n", printable(facts.out));
  return text;
}

template <class T>
std::string values_text(const tensor<T>& result) {
  if (result.empty()) return {};
  if (result.size() > most_shown_elements) {
    const summary s = summary_of(result);
    std::string text = fmt::format("values    root mean square {:.6g}, largest magnitude {:.6g}",
                                   s.root_mean_square, s.largest);
    if (s.not_finite > 0) text += fmt::format(", {} not finite", s.not_finite);
    return text += '\n';
  }
  std::vector<std::string> numbers;
  for (const T& v : result.flat()) numbers.push_back(number_text(v));
  const std::size_t width =
      std::ranges::max(numbers, {}, [](const std::string& n) { return n.size(); }).size();
  const std::size_t row = result.rank() > 0 ? result.extents().back() : 1;
  const std::size_t matrix = result.rank() > 2 ? row * result.extent(result.rank() - 2) : 0;
  std::string text = "values\n";
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    if (matrix > 0 && at % matrix == 0) text += matrix_label(result.extents(), at);
    text += fmt::format("  {:>{}}", numbers[at], width);
    if ((at + 1) % row == 0) text += '\n';
  }
  return text;
}

json_value report_json(const einsum_facts& facts, const contraction_plan& plan) {
  json_value report;
  report["subscripts"] = facts.subscripts;
  report["operands"] = json_value::array();
  for (std::size_t k = 0; k < facts.files.size(); ++k)
    report["operands"].push_back({{"file", facts.files[k]},
                                  {"shape", facts.operands[k].extents},
                                  {"type", facts.operands[k].element_type},
                                  {"fortran_order", facts.operands[k].fortran_order}});
  report["shape"] = plan.extents();
  report["type"] = facts.type;
  report["out"] = facts.out.empty() ? json_value() : json_value(facts.out);
  const contraction_path& path = plan.path();
  report["path"] = {{"search", to_string(path.search)},
                    {"pairs", path.pairs},
                    {"slices", path.slices},
                    {"flops", path.flops},
                    {"largest_elements", path.largest},
                    {"search_seconds", path.seconds}};
  report["steps"] = json_value::array();
  for (const contraction_step& step : plan.steps())
    report["steps"].push_back({{"expression", step.expression},
                               {"kind", step.kind},
                               {"how", step.how},
                               {"flops", step.flops},
                               {"bytes", step.bytes},
                               {"elements", step.elements},
                               {"host_seconds", step.host_seconds},
                               {"device_seconds", step.device_seconds},
                               {"backend", step.backend}});
  report["workspace_bytes"] = plan.workspace_bytes();
  return report;
}

template <class T>
json_value values_json(const tensor<T>& result) {
  const summary s = summary_of(result);
  json_value values{{"root_mean_square", number_json(s.root_mean_square)},
                    {"largest_magnitude", s.largest},
                    {"not_finite", s.not_finite},
                    {"values", nullptr}};
  if (result.size() > most_shown_elements) return values;
  values["values"] = json_value::array();
  for (const T& v : result.flat()) values["values"].push_back(number_json(v));
  return values;
}

#define PAPILIO_INSTANTIATE_EINSUM_REPORT(T)          \
  template std::string values_text(const tensor<T>&); \
  template json_value values_json(const tensor<T>&);
PAPILIO_INSTANTIATE_EINSUM_REPORT(float)
PAPILIO_INSTANTIATE_EINSUM_REPORT(double)
PAPILIO_INSTANTIATE_EINSUM_REPORT(std::complex<float>)
PAPILIO_INSTANTIATE_EINSUM_REPORT(std::complex<double>)
#undef PAPILIO_INSTANTIATE_EINSUM_REPORT

}  // namespace papilio::cli
