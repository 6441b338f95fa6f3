// FFTW 3 as a candidate. Only builds with PAPILIO_FFTW hold this file; FFTW is under the GPL, and
// so is what is linked with it.
#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "base/lines.hpp"
#include "dispatch/host_model.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/dispatch/host_model.hpp"
#include "transform/candidates.hpp"
#include "transform/fftw_plan.hpp"

namespace papilio::transform_detail {

using dispatch_detail::epsilon_of;

using base_detail::copy_strided;
using base_detail::for_pieces;
using base_detail::gapless_strides;
using base_detail::is_gapless;
using base_detail::line_count;
using base_detail::line_offset;
using base_detail::product;
using base_detail::reach;

namespace {

// FFTW keeps two tables of twiddles for each pass; about two points for each point of a line.
std::size_t reckoned_table_bytes(const fft_problem& p, std::size_t element_bytes) {
  std::size_t points = 0;
  for (std::size_t axis : p.axes) points += 2 * p.extents[axis];
  return points * element_bytes;
}

template <class T>
void scale(T* x, std::size_t count, double factor) {
  if (factor == 1) return;
  for (std::size_t i = 0; i < count; ++i) x[i] *= static_cast<T>(factor);
}

template <class Element>
constexpr std::size_t reals_in = 1;
template <class T>
constexpr std::size_t reals_in<std::complex<T>> = 2;

template <class T, class In, class Out>
class fftw_executor final : public fft_executor {
 public:
  explicit fftw_executor(const fft_problem& p)
      : problem_(p), built_(p), factor_(p.scale()), recipe_(built_.recipe()) {}

  std::string recipe() const override { return recipe_; }
  std::size_t table_bytes() const override {
    return reckoned_table_bytes(problem_, sizeof(std::complex<T>));
  }

  void execute(const untyped_view<const void>& in, const untyped_view<void>& out, std::size_t axis,
               int threads) const override {
    base_detail::require_distinct("fftw backend", out.extents, out.strides);
    if (problem_.is_line())
      execute_lines(in, out, axis, threads);
    else
      execute_array(in, out, threads);
  }

 private:
  static T* reals(Out* p) { return reinterpret_cast<T*>(p); }

  // FFTW's planes never alias: a line that is not adjacent or would be overwritten is copied first.
  void execute_lines(const untyped_view<const void>& in, const untyped_view<void>& out,
                     std::size_t axis, int threads) const {
    if (overlap(in, out)) {
      const array<In, 1> copy = gathered(in, threads);
      const std::vector<std::ptrdiff_t> strides = gapless_strides(in.extents);
      return run_lines({copy.data(), in.extents, strides}, out, axis, threads);
    }
    run_lines(in, out, axis, threads);
  }

  void run_lines(const untyped_view<const void>& in, const untyped_view<void>& out,
                 std::size_t axis, int threads) const {
    const std::size_t n_in = in.extents[axis], n_out = out.extents[axis];
    const std::ptrdiff_t in_step = in.strides[axis], out_step = out.strides[axis];
    for_pieces(line_count(in.extents, axis), threads, [&](std::size_t first, std::size_t last) {
      array<In, 1> in_line(in_step == 1 ? 0 : n_in);
      array<Out, 1> out_line(out_step == 1 ? 0 : n_out);
      for (std::size_t line = first; line < last; ++line) {
        const In* from =
            static_cast<const In*>(in.data) + line_offset(in.extents, in.strides, axis, line);
        Out* const to =
            static_cast<Out*>(out.data) + line_offset(out.extents, out.strides, axis, line);
        for (std::size_t i = 0; i < in_line.size(); ++i)
          in_line[i] = from[static_cast<std::ptrdiff_t>(i) * in_step];
        if (!in_line.empty()) from = in_line.data();
        Out* const result = out_line.empty() ? to : out_line.data();
        built_.execute(const_cast<In*>(from), result);
        scale(reals(result), n_out * reals_in<Out>, factor_);
        for (std::size_t i = 0; i < out_line.size(); ++i)
          to[static_cast<std::ptrdiff_t>(i) * out_step] = out_line[i];
      }
    });
  }

  // The transform itself runs on one thread; what is gathered and scattered, on all.
  void execute_array(const untyped_view<const void>& in, const untyped_view<void>& out,
                     int threads) const {
    const bool is_destroyed = problem_.is_real(direction::inverse);
    const bool is_copied = is_destroyed || overlap(in, out) || !is_gapless(in.extents, in.strides);
    array<In, 1> copy;
    if (is_copied) copy = gathered(in, threads);
    void* const from = is_copied ? static_cast<void*>(copy.data()) : const_cast<void*>(in.data);
    const std::size_t count = product(out.extents);
    if (is_gapless(out.extents, out.strides)) {
      built_.execute(from, out.data);
      scale(reals(static_cast<Out*>(out.data)), count * reals_in<Out>, factor_);
      return;
    }
    array<Out, 1> result(count);
    built_.execute(from, result.data());
    scale(reals(result.data()), count * reals_in<Out>, factor_);
    const std::vector<std::ptrdiff_t> strides = gapless_strides(out.extents);
    copy_strided<Out>({result.data(), out.extents, strides}, out, threads);
  }

  static bool overlap(const untyped_view<const void>& in, const untyped_view<void>& out) {
    return reach(in.data, sizeof(In), in.extents, in.strides)
        .overlaps(reach(out.data, sizeof(Out), out.extents, out.strides));
  }

  static array<In, 1> gathered(const untyped_view<const void>& in, int threads) {
    array<In, 1> copy(product(in.extents));
    const std::vector<std::ptrdiff_t> strides = gapless_strides(in.extents);
    copy_strided<In>(in, {copy.data(), in.extents, strides}, threads);
    return copy;
  }

  fft_problem problem_;
  fftw_built<T> built_;
  double factor_;
  std::string recipe_;
};

template <class T>
std::unique_ptr<const fft_executor> build_fftw_in(const fft_problem& p) {
  using C = std::complex<T>;
  if (p.is_real(direction::forward)) return std::make_unique<fftw_executor<T, T, C>>(p);
  if (p.is_real(direction::inverse)) return std::make_unique<fftw_executor<T, C, T>>(p);
  return std::make_unique<fftw_executor<T, C, C>>(p);
}

std::unique_ptr<const fft_executor> build_fftw(const fft_problem& p) {
  switch (p.type) {
    case real_type::single_precision:
      return build_fftw_in<float>(p);
    case real_type::double_precision:
      return build_fftw_in<double>(p);
    case real_type::extended_precision:
      break;
  }
  return build_fftw_in<long double>(p);
}

std::string fftw_refusal(const fft_problem& p) {
  if (p.is_trigonometric()) return "it is asked for Fourier transforms alone";
  if (p.adjoint) return "it has no adjoints of real transforms";
  // Its plans of arrays count axes with int, and its own limit is far below.
  return p.extents.size() > 32 ? "more than 32 axes" : "";
}

template <class T>
std::string planned_recipe(const fft_problem& p) {
  return fftw_built<T>(p).recipe();
}

// FFTW tells what it would run, but counts vector instructions and not what it moves. Operations
// are therefore those of the convention, 5 N log2 N (half for real kinds), and each axis is taken
// to read and write the data once for every 16 of its length.
fft_estimate fftw_estimate(const fft_problem& p, std::size_t lines) {
  fft_problem unmeasured = p;
  unmeasured.measured = false;
  fft_estimate total;
  // FFTW makes the tables of whatever it plans.
  constexpr std::size_t longest_planned = std::size_t{1} << 17;
  total.recipe = std::ranges::max(p.extents) > longest_planned ? "told of axes of up to 2^17 points"
                 : p.type == real_type::single_precision       ? planned_recipe<float>(unmeasured)
                 : p.type == real_type::double_precision       ? planned_recipe<double>(unmeasured)
                                                         : planned_recipe<long double>(unmeasured);
  const auto repeats = static_cast<double>(lines);
  const double element_bytes = static_cast<double>(size_of(p.type)) * (p.is_complex() ? 2 : 1);
  double points = 1, variance = 0;
  for (std::size_t e : p.extents) points *= static_cast<double>(e);
  for (std::size_t axis : p.axes) {
    const double bits = std::log2(static_cast<double>(p.extents[axis]));
    total.passes += static_cast<std::size_t>(std::max(1.0, std::ceil(bits / 4)));
    variance += bits + 1;
    total.flops += (p.is_complex() ? 5 : 2.5) * repeats * points * bits;
  }
  const double once = 2 * repeats * points * element_bytes;
  total.bytes_moved = once * static_cast<double>(total.passes);
  // Time is estimated by the rates of papilio's own transforms, of which FFTW's are much the same.
  const double longest = static_cast<double>(*std::ranges::max_element(p.extents));
  const host_work work{.kind = host_work_kind::fft,
                       .flops = total.flops,
                       .bytes_moved = once * static_cast<double>(p.axes.size()),
                       .working_bytes = once,
                       .line_bytes = 4 * longest * element_bytes,
                       .lines = repeats * points / longest,
                       .calls = p.is_line() ? 1 : repeats};
  total.seconds = modelled_seconds(current_host(), p.type, work);
  total.relative_error = 0.3 * epsilon_of(p.type) * std::sqrt(variance);
  return total;
}

}  // namespace

fft_candidate fftw_fft() {
  return {"fftw", fftw_version_number(), fftw_refusal, fftw_estimate, build_fftw};
}

}  // namespace papilio::transform_detail
