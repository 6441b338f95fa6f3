#include "papilio/dispatch/operation.hpp"

#include <algorithm>
#include <cmath>

#include "dispatch/problem_text.hpp"
#include "papilio/base/error.hpp"

namespace papilio {
namespace {

using base_detail::message;

std::string list_of(const std::vector<std::size_t>& axes) {
  std::string text;
  for (const std::size_t a : axes) text.append(text.empty() ? "" : ", ").append(std::to_string(a));
  return text;
}

}  // namespace

const char* to_string(fft_kind kind) {
  switch (kind) {
    case fft_kind::complex:
      return "complex";
    case fft_kind::real:
      return "real";
    case fft_kind::cosine:
      return "cosine";
    case fft_kind::sine:
      return "sine";
  }
  return "";
}

namespace {

// The name of the function that computes the transform.
const char* name_of(const fft_problem& p) {
  switch (p.kind) {
    case fft_kind::complex:
      return p.is_inverse() ? "ifft" : "fft";
    case fft_kind::real:
      if (p.adjoint) return p.is_inverse() ? "rfft_vjp" : "irfft_vjp";
      return p.is_inverse() ? "irfft" : "rfft";
    case fft_kind::cosine:
      return p.is_inverse() ? "idct" : "dct";
    case fft_kind::sine:
      return p.is_inverse() ? "idst" : "dst";
  }
  return "";
}

}  // namespace

double fft_problem::scale() const {
  const normalization opposite =
      is_inverse() != adjoint ? normalization::forward : normalization::backward;
  if (norm == normalization::none || norm == opposite) return 1;
  double points = 1;
  for (const std::size_t a : axes) {
    const std::size_t n = extents[a];
    const std::size_t whole = !is_trigonometric()        ? n
                              : trigonometric_type != 1  ? 2 * n
                              : kind == fft_kind::cosine ? 2 * (n - 1)
                                                         : 2 * (n + 1);
    points *= static_cast<double>(whole);
  }
  return norm == normalization::orthonormal ? 1 / std::sqrt(points) : 1 / points;
}

std::string fft_problem::text() const {
  std::string text = name_of(*this);
  if (trigonometric_type != 0) text.append("-").append(std::to_string(trigonometric_type));
  text.append(" of ").append(dispatch_detail::text_of(extents));
  if (is_line()) text.append(extents[0] == 1 ? " point" : " points");
  text.append(" in ").append(to_string(type));
  if (is_line()) return text;
  return text.append(axes.size() == 1 ? " along axis " : " along axes ").append(list_of(axes));
}

void fft_problem::require_valid(const char* function) const {
  const auto refuse = [&](const auto&... parts) {
    throw invalid_argument(message(function, ": fft_problem: ", parts...));
  };
  if (extents.empty()) refuse("extents must not be empty");
  if (std::ranges::find(extents, std::size_t{0}) != extents.end())
    refuse("extents must be at least 1, got ", dispatch_detail::text_of(extents));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] >= extents.size())
      refuse("axes must be less than ", extents.size(), ", got ", axes[i]);
    if (std::ranges::find(axes, axes[i]) - axes.begin() < static_cast<std::ptrdiff_t>(i))
      refuse("axes must be distinct, got ", axes[i], " twice");
  }
  if (is_line() && axes.size() != 1) refuse("a line is transformed over its one axis");
  if (!is_complex() && axes.empty()) refuse(to_string(kind), " needs an axis");
  if (adjoint && kind != fft_kind::real)
    refuse("adjoint must be false for ", to_string(kind), ", whose adjoint is its inverse");
  if (is_trigonometric()) {
    if (trigonometric_type < 1 || trigonometric_type > 4)
      refuse("trigonometric_type must be 1 to 4, got ", trigonometric_type);
    if (axes.size() != 1)
      refuse("cosine and sine problems have one axis, got ", axes.size(), " axes");
  } else if (trigonometric_type != 0) {
    refuse("trigonometric_type must be 0 for ", to_string(kind), ", got ", trigonometric_type);
  }
}

operand_shapes fft_problem::shapes() const {
  std::vector<std::size_t> half = extents;
  if (!axes.empty()) half[axes.back()] = half[axes.back()] / 2 + 1;
  if (is_trigonometric()) return {{{extents, false}}, {{extents, false}}};
  if (is_real(direction::forward)) return {{{extents, false}}, {{half, true}}};
  if (is_real(direction::inverse)) return {{{half, true}}, {{extents, false}}};
  return {{{extents, true}}, {{extents, true}}};
}

double fft_problem::nominal_flops() const {
  double n = 1;
  for (const std::size_t a : axes) n *= static_cast<double>(extents[a]);
  return (is_complex() ? 5 : 2.5) * dispatch_detail::count_of(extents) * std::log2(n);
}

}  // namespace papilio
