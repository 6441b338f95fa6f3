// Cosine and sine transforms by dct_plan.
#include "papilio/fft/dct_plan.hpp"
#include "transform/host_executor.hpp"

namespace papilio::transform_detail {
namespace {

trigonometric_kind plan_kind(const fft_problem& p) {
  const bool is_cosine = p.kind == fft_kind::cosine_forward || p.kind == fft_kind::cosine_inverse;
  switch (p.trigonometric_type) {
    case 1:
      return is_cosine ? trigonometric_kind::dct1 : trigonometric_kind::dst1;
    case 2:
      return is_cosine ? trigonometric_kind::dct2 : trigonometric_kind::dst2;
    case 3:
      return is_cosine ? trigonometric_kind::dct3 : trigonometric_kind::dst3;
    default:
      return is_cosine ? trigonometric_kind::dct4 : trigonometric_kind::dst4;
  }
}

template <class T>
class trigonometric_line final : public host_executor {
 public:
  explicit trigonometric_line(const fft_problem& p)
      : trigonometric_line(dct_plan<T>(p.extents[0], plan_kind(p), host_options(p)),
                           is_inverse(p.kind)) {}
  std::size_t scratch_bytes() const override { return plan_.scratch_size() * sizeof(T); }
  void execute(const untyped_view<const void>& in, const untyped_view<void>& out, std::size_t axis,
               int threads) const override {
    with_views<T, T>(in, out, [&](const auto& from, const auto& to) {
      if (inverse_)
        plan_.inverse_axis(from, to, axis, threads);
      else
        plan_.forward_axis(from, to, axis, threads);
    });
  }

 private:
  trigonometric_line(dct_plan<T> plan, bool inverse)
      : host_executor({plan.design()}, sizeof(T)), plan_(std::move(plan)), inverse_(inverse) {}

  dct_plan<T> plan_;
  bool inverse_;
};

}  // namespace

std::unique_ptr<const fft_executor> build_host_trigonometric(const fft_problem& problem) {
  return make_executor<trigonometric_line>(problem);
}

}  // namespace papilio::transform_detail
