// Lines by fft_plan and rfft_plan.
#include "papilio/fft/fft_plan.hpp"
#include "papilio/fft/rfft_plan.hpp"
#include "transform/host_executor.hpp"

namespace papilio::transform_detail {
namespace {

template <class T>
class complex_line final : public host_executor {
 public:
  explicit complex_line(const fft_problem& p)
      : complex_line(fft_plan<T>(p.extents[0],
                                 is_inverse(p.kind) ? direction::inverse : direction::forward,
                                 host_options(p))) {}
  std::size_t scratch_bytes() const override { return plan_.scratch_size() * 2 * sizeof(T); }
  void execute(const untyped_view<const void>& in, const untyped_view<void>& out, std::size_t axis,
               int threads) const override {
    with_views<std::complex<T>, std::complex<T>>(in, out, [&](const auto& from, const auto& to) {
      plan_.execute_axis(from, to, axis, threads);
    });
  }

 private:
  explicit complex_line(fft_plan<T> plan)
      : host_executor({plan.design()}, sizeof(T)), plan_(std::move(plan)) {}

  fft_plan<T> plan_;
};

template <class T>
class real_line final : public host_executor {
 public:
  explicit real_line(const fft_problem& p)
      : real_line(rfft_plan<T>(p.extents[0], host_options(p)), is_inverse(p.kind)) {}
  std::size_t scratch_bytes() const override { return plan_.scratch_size() * 2 * sizeof(T); }
  void execute(const untyped_view<const void>& in, const untyped_view<void>& out, std::size_t axis,
               int threads) const override {
    if (inverse_) {
      with_views<std::complex<T>, T>(in, out, [&](const auto& from, const auto& to) {
        plan_.inverse_axis(from, to, axis, threads);
      });
    } else {
      with_views<T, std::complex<T>>(in, out, [&](const auto& from, const auto& to) {
        plan_.forward_axis(from, to, axis, threads);
      });
    }
  }

 private:
  real_line(rfft_plan<T> plan, bool inverse)
      : host_executor({plan.design()}, sizeof(T)), plan_(std::move(plan)), inverse_(inverse) {}

  rfft_plan<T> plan_;
  bool inverse_;
};

}  // namespace

std::unique_ptr<const fft_executor> build_host_line(const fft_problem& problem) {
  const bool is_complex =
      problem.kind == fft_kind::complex_forward || problem.kind == fft_kind::complex_inverse;
  return is_complex ? make_executor<complex_line>(problem) : make_executor<real_line>(problem);
}

}  // namespace papilio::transform_detail
