#include "fft/operands.hpp"

#include <algorithm>
#include <string>

#include "base/lines.hpp"
#include "papilio/base/error.hpp"

namespace papilio::fft_detail {
namespace {

std::string product_of(std::span<const std::size_t> extents) {
  std::string text;
  for (const std::size_t e : extents)
    text.append(text.empty() ? "" : " x ").append(std::to_string(e));
  return text.empty() ? "none" : text;
}

}  // namespace

void require_extents(const char* function, const char* argument, std::span<const std::size_t> got,
                     std::span<const std::size_t> expected) {
  if (!std::ranges::equal(got, expected))
    throw shape_error(base_detail::message(function, ": extents of ", argument, " must be ",
                                           product_of(expected), ", got ", product_of(got)));
}

std::size_t element_count(std::span<const std::size_t> extents, std::size_t element_bytes,
                          const char* what) {
  if (std::ranges::find(extents, std::size_t{0}) != extents.end()) return 0;
  std::size_t count = 1;
  for (const std::size_t e : extents) count = checked_multiply(count, e, what);
  checked_cast<std::ptrdiff_t>(checked_multiply(count, element_bytes, what), what);
  return count;
}

template <class T>
void copy_elements(strided<const T> in, strided<T> out) {
  if (in.empty()) return;
  if (in.rank() == 1) {
    for (std::size_t i = 0; i < in.extents[0]; ++i)
      out.data[static_cast<std::ptrdiff_t>(i) * out.strides[0]] =
          in.data[static_cast<std::ptrdiff_t>(i) * in.strides[0]];
    return;
  }
  for (std::size_t i = 0; i < in.extents[0]; ++i)
    copy_elements<T>({in.data + static_cast<std::ptrdiff_t>(i) * in.strides[0],
                      in.extents.subspan(1), in.strides.subspan(1)},
                     {out.data + static_cast<std::ptrdiff_t>(i) * out.strides[0],
                      out.extents.subspan(1), out.strides.subspan(1)});
}

template <class T>
workspace<T>::workspace(std::span<const std::size_t> extents)
    : extents_(extents.begin(), extents.end()),
      strides_(base_detail::gapless_strides(extents)),
      memory_(extents.empty() ? 0 : element_count(extents, sizeof(T), "workspace: size")) {}

template void copy_elements(strided<const float>, strided<float>);
template void copy_elements(strided<const double>, strided<double>);
template void copy_elements(strided<const long double>, strided<long double>);
template void copy_elements(strided<const std::complex<float>>, strided<std::complex<float>>);
template void copy_elements(strided<const std::complex<double>>, strided<std::complex<double>>);
template void copy_elements(strided<const std::complex<long double>>,
                            strided<std::complex<long double>>);
template class workspace<float>;
template class workspace<double>;
template class workspace<long double>;
template class workspace<std::complex<float>>;
template class workspace<std::complex<double>>;
template class workspace<std::complex<long double>>;

}  // namespace papilio::fft_detail
