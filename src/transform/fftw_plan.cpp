#include "transform/fftw_plan.hpp"

#include <cmath>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/lines.hpp"
#include "papilio/base/error.hpp"

namespace papilio::transform_detail {

using base_detail::gapless_strides;
using base_detail::product;

namespace {

// FFTW's planner and its destructor share state of the whole process; only execution is safe.
std::mutex& planner_mutex() {
  // The mutex is never destroyed: plans that are kept until the program ends need it then.
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

// Extents of the spectrum side.
std::vector<std::size_t> spectrum_extents(const fft_problem& p) {
  std::vector<std::size_t> extents = p.extents;
  if (p.kind == fft_kind::real) extents[p.axes.back()] = extents[p.axes.back()] / 2 + 1;
  return extents;
}

// FFTW's dimensions: the transformed axes in their order, and the rest.
template <class T>
struct dimensions {
  std::vector<typename fftw_api<T>::dimension> transformed, repeated;

  explicit dimensions(const fft_problem& p) {
    const std::vector<std::ptrdiff_t> whole = gapless_strides(p.extents);
    const std::vector<std::ptrdiff_t> half = gapless_strides(spectrum_extents(p));
    const auto& in = p.is_real(direction::inverse) ? half : whole;
    const auto& out = p.is_real(direction::forward) ? half : whole;
    std::vector<bool> is_transformed(p.extents.size());
    const auto dimension = [&](std::size_t axis) {
      return typename fftw_api<T>::dimension{static_cast<std::ptrdiff_t>(p.extents[axis]), in[axis],
                                             out[axis]};
    };
    for (std::size_t axis : p.axes) {
      transformed.push_back(dimension(axis));
      is_transformed[axis] = true;
    }
    for (std::size_t axis = 0; axis < p.extents.size(); ++axis)
      if (!is_transformed[axis]) repeated.push_back(dimension(axis));
  }
};

template <class T>
struct released {
  void operator()(void* memory) const { fftw_api<T>::release(memory); }
};

// Memory that FFTW looks at while it plans, without touching it.
template <class T>
std::unique_ptr<void, released<T>> planning_buffer(const fft_problem& p) {
  const char* const what = "fftw backend: size";
  std::size_t bytes = 2 * sizeof(T);
  for (std::size_t e : p.extents) bytes = checked_multiply(bytes, e, what);
  bytes = checked_add(bytes, checked_multiply(bytes, std::size_t{2}, what), what);
  void* const memory = fftw_api<T>::allocate(bytes);
  if (memory == nullptr)
    throw resource_error(base_detail::message("fftw backend: ", bytes, " bytes cannot be had"));
  return std::unique_ptr<void, released<T>>(memory);
}

}  // namespace

template <class T>
fftw_built<T>::fftw_built(const fft_problem& p) : kind_(p.kind), dir_(p.dir) {
  using api = fftw_api<T>;
  using complex = typename api::complex;
  const dimensions<T> dims(p);
  const auto rank = static_cast<int>(dims.transformed.size());
  const auto repeats = static_cast<int>(dims.repeated.size());
  const auto in = planning_buffer<T>(p), out = planning_buffer<T>(p);
  const bool destroys = p.is_real(direction::inverse) && !p.is_line();
  const unsigned flags = FFTW_UNALIGNED | (p.measured ? FFTW_MEASURE : FFTW_ESTIMATE) |
                         (destroys ? FFTW_DESTROY_INPUT : FFTW_PRESERVE_INPUT);
  const std::lock_guard lock(planner_mutex());
  if (p.is_real(direction::forward)) {
    plan_ = api::plan_r2c(rank, dims.transformed.data(), repeats, dims.repeated.data(),
                          static_cast<T*>(in.get()), static_cast<complex*>(out.get()), flags);
  } else if (p.is_real(direction::inverse)) {
    plan_ = api::plan_c2r(rank, dims.transformed.data(), repeats, dims.repeated.data(),
                          static_cast<complex*>(in.get()), static_cast<T*>(out.get()), flags);
  } else {
    plan_ = api::plan_dft(rank, dims.transformed.data(), repeats, dims.repeated.data(),
                          static_cast<complex*>(in.get()), static_cast<complex*>(out.get()),
                          p.is_inverse() ? FFTW_BACKWARD : FFTW_FORWARD, flags);
  }
  if (plan_ == nullptr)
    throw resource_error(
        base_detail::message("fftw backend: FFTW makes no plan for ", to_string(p)));
}

template <class T>
fftw_built<T>::~fftw_built() {
  const std::lock_guard lock(planner_mutex());
  fftw_api<T>::destroy(plan_);
}

template <class T>
void fftw_built<T>::execute(void* in, void* out) const {
  using api = fftw_api<T>;
  using complex = typename api::complex;
  if (kind_ == fft_kind::complex)
    api::execute_dft(plan_, static_cast<complex*>(in), static_cast<complex*>(out));
  else if (dir_ == direction::forward)
    api::execute_r2c(plan_, static_cast<T*>(in), static_cast<complex*>(out));
  else
    api::execute_c2r(plan_, static_cast<complex*>(in), static_cast<T*>(out));
}

template <class T>
std::string fftw_built<T>::recipe() const {
  const std::lock_guard lock(planner_mutex());
  const std::unique_ptr<char, decltype(&std::free)> text(fftw_api<T>::print(plan_), &std::free);
  std::string line;
  for (const char* c = text.get(); c != nullptr && *c != '\0'; ++c) {
    const bool is_space = *c == '\n' || *c == ' ';
    if (!is_space)
      line.push_back(*c);
    else if (!line.empty() && line.back() != ' ')
      line.push_back(' ');
  }
  return line;
}

template class fftw_built<float>;
template class fftw_built<double>;
template class fftw_built<long double>;

std::string fftw_version_number() {
  const std::string_view text = ::fftw_version;  // "fftw-3.3.10-sse2-avx"
  const std::size_t first = text.find('-') + 1;
  return std::string(text.substr(first, text.find('-', first) - first));
}

}  // namespace papilio::transform_detail
