// Whole arrays by fftn_plan and rfftn_plan.
#include "papilio/fft/fftn_plan.hpp"
#include "transform/host_executor.hpp"

namespace papilio::transform_detail {
namespace {

std::vector<std::ptrdiff_t> signed_axes(const fft_problem& p) {
  return {p.axes.begin(), p.axes.end()};
}

template <class T>
class complex_grid final : public host_executor {
 public:
  explicit complex_grid(const fft_problem& p)
      : complex_grid(fftn_plan<T>(p.extents, signed_axes(p),
                                  is_inverse(p.kind) ? direction::inverse : direction::forward,
                                  host_options(p))) {}
  void execute(const untyped_view<const void>& in, const untyped_view<void>& out, std::size_t,
               int threads) const override {
    with_views<std::complex<T>, std::complex<T>>(
        in, out, [&](const auto& from, const auto& to) { plan_.execute(from, to, threads); });
  }

 private:
  explicit complex_grid(fftn_plan<T> plan)
      : host_executor(plan.designs(), sizeof(T)), plan_(std::move(plan)) {}

  fftn_plan<T> plan_;
};

template <class T>
class real_grid final : public host_executor {
 public:
  explicit real_grid(const fft_problem& p)
      : real_grid(rfftn_plan<T>(p.extents, signed_axes(p), host_options(p)), is_inverse(p.kind)) {}
  void execute(const untyped_view<const void>& in, const untyped_view<void>& out, std::size_t,
               int threads) const override {
    if (inverse_) {
      with_views<std::complex<T>, T>(
          in, out, [&](const auto& from, const auto& to) { plan_.inverse(from, to, threads); });
    } else {
      with_views<T, std::complex<T>>(
          in, out, [&](const auto& from, const auto& to) { plan_.forward(from, to, threads); });
    }
  }

 private:
  real_grid(rfftn_plan<T> plan, bool inverse)
      : host_executor(plan.designs(), sizeof(T)), plan_(std::move(plan)), inverse_(inverse) {}

  rfftn_plan<T> plan_;
  bool inverse_;
};

}  // namespace

std::unique_ptr<const fft_executor> build_host_grid(const fft_problem& problem) {
  const bool is_complex =
      problem.kind == fft_kind::complex_forward || problem.kind == fft_kind::complex_inverse;
  return is_complex ? make_executor<complex_grid>(problem) : make_executor<real_grid>(problem);
}

}  // namespace papilio::transform_detail
