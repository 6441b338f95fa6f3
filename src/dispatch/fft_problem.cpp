#include "papilio/dispatch/fft_problem.hpp"

#include <algorithm>
#include <span>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

bool is_trigonometric(fft_kind kind) { return kind >= fft_kind::cosine_forward; }

std::string joined(const std::vector<std::size_t>& values, const char* separator) {
  std::string text;
  for (std::size_t v : values) text.append(text.empty() ? "" : separator).append(std::to_string(v));
  return text;
}

}  // namespace

const char* to_string(real_type type) {
  switch (type) {
    case real_type::single_precision:
      return "float";
    case real_type::double_precision:
      return "double";
    case real_type::extended_precision:
      return "long double";
  }
  return "";
}

const char* to_string(fft_kind kind) {
  switch (kind) {
    case fft_kind::complex_forward:
      return "complex_forward";
    case fft_kind::complex_inverse:
      return "complex_inverse";
    case fft_kind::real_forward:
      return "real_forward";
    case fft_kind::real_inverse:
      return "real_inverse";
    case fft_kind::cosine_forward:
      return "cosine_forward";
    case fft_kind::cosine_inverse:
      return "cosine_inverse";
    case fft_kind::sine_forward:
      return "sine_forward";
    case fft_kind::sine_inverse:
      return "sine_inverse";
  }
  return "";
}

namespace {

// As functions of these transforms are called.
const char* name_of(fft_kind kind) {
  switch (kind) {
    case fft_kind::complex_forward:
      return "fft";
    case fft_kind::complex_inverse:
      return "ifft";
    case fft_kind::real_forward:
      return "rfft";
    case fft_kind::real_inverse:
      return "irfft";
    case fft_kind::cosine_forward:
      return "dct";
    case fft_kind::cosine_inverse:
      return "idct";
    case fft_kind::sine_forward:
      return "dst";
    case fft_kind::sine_inverse:
      return "idst";
  }
  return "";
}

}  // namespace

std::string to_string(const fft_problem& p) {
  std::string text = name_of(p.kind);
  if (p.trigonometric_type != 0) text.append("-").append(std::to_string(p.trigonometric_type));
  text.append(" of ").append(joined(p.extents, "x"));
  if (p.is_line()) text.append(p.extents[0] == 1 ? " point" : " points");
  text.append(" in ").append(to_string(p.type));
  if (p.is_line()) return text;
  return text.append(p.axes.size() == 1 ? " along axis " : " along axes ")
      .append(joined(p.axes, ", "));
}

void require_valid(const char* function, const fft_problem& p) {
  const auto refuse = [&](const auto&... parts) {
    throw invalid_argument(base_detail::message(function, ": fft_problem: ", parts...));
  };
  if (p.extents.empty()) refuse("extents must not be empty");
  if (std::ranges::find(p.extents, std::size_t{0}) != p.extents.end())
    refuse("extents must be at least 1, got ", joined(p.extents, "x"));
  for (std::size_t i = 0; i < p.axes.size(); ++i) {
    if (p.axes[i] >= p.extents.size())
      refuse("axes must be less than ", p.extents.size(), ", got ", p.axes[i]);
    if (const auto before = std::span(p.axes).first(i);
        std::ranges::find(before, p.axes[i]) != before.end())
      refuse("axes must be distinct, got ", p.axes[i], " twice");
  }
  if (p.is_line() && p.axes.size() != 1) refuse("a line is transformed over its one axis");
  const bool is_complex =
      p.kind == fft_kind::complex_forward || p.kind == fft_kind::complex_inverse;
  if (!is_complex && p.axes.empty()) refuse(to_string(p.kind), " needs an axis");
  if (is_trigonometric(p.kind)) {
    if (p.trigonometric_type < 1 || p.trigonometric_type > 4)
      refuse("trigonometric_type must be 1 to 4, got ", p.trigonometric_type);
    if (!p.is_line()) refuse("cosine and sine problems are lines, got ", p.extents.size(), " axes");
  } else if (p.trigonometric_type != 0) {
    refuse("trigonometric_type must be 0 for ", to_string(p.kind), ", got ", p.trigonometric_type);
  }
}

}  // namespace papilio
