// papilio's own plans as a candidate.
#include <cmath>

#include "backends/candidates.hpp"
#include "backends/host_model.hpp"
#include "base/lines.hpp"
#include "backends/recipe_cost.hpp"
#include "papilio/fft.hpp"

namespace papilio::backends_detail {
namespace {

bool is_inverse(fft_kind kind) {
  return kind == fft_kind::complex_inverse || kind == fft_kind::real_inverse ||
         kind == fft_kind::cosine_inverse || kind == fft_kind::sine_inverse;
}

fft_options options_of(const fft_problem& p) {
  const normalization by_count =
      is_inverse(p.kind) ? normalization::backward : normalization::forward;
  const normalization norm = p.scaling == fft_scaling::none      ? normalization::none
                             : p.scaling == fft_scaling::by_root ? normalization::orthonormal
                                                                 : by_count;
  return {.norm = norm, .plan_effort = p.measured ? effort::measure : effort::estimate};
}

double bytes_of_element(const fft_problem& p) {
  const bool is_complex =
      p.kind == fft_kind::complex_forward || p.kind == fft_kind::complex_inverse;
  return static_cast<double>(bytes_of(p.type)) * (is_complex ? 2 : 1);
}

std::string joined(const std::vector<recipe>& recipes) {
  std::string text;
  for (const recipe& r : recipes) text.append(text.empty() ? "" : " ").append(to_string(r));
  return text;
}

template <class T>
class host_executor final : public fft_executor {
 public:
  explicit host_executor(std::vector<recipe> designs) : designs_(std::move(designs)) {}

  std::string recipe() const override { return joined(designs_); }
  std::size_t table_bytes() const override {
    double points = 0;
    for (const papilio::recipe& r : designs_) points += cost_of(r).table_points;
    return static_cast<std::size_t>(points) * 2 * sizeof(T);
  }

 protected:
  std::vector<papilio::recipe> designs_;
};

template <class T>
class complex_line final : public fft_executor {
 public:
  explicit complex_line(const fft_problem& p)
      : plan_(p.extents[0], is_inverse(p.kind) ? direction::inverse : direction::forward,
              options_of(p)) {}

  std::string recipe() const override { return to_string(plan_.design()); }
  std::size_t table_bytes() const override {
    return static_cast<std::size_t>(cost_of(plan_.design()).table_points) * 2 * sizeof(T);
  }
  void execute(const untyped_view<const void>& in, const untyped_view<void>& out, std::size_t axis,
               int threads) const override {
    const std::size_t n = plan_.size();
    for_pieces(line_count(in.extents, axis), threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        plan_.execute_batch(
            view<const std::complex<T>, 2>(static_cast<const std::complex<T>*>(in.data) +
                                               line_offset(in.extents, in.strides, axis, i),
                                           {1, n}, {0, in.strides[axis]}),
            view<std::complex<T>, 2>(static_cast<std::complex<T>*>(out.data) +
                                         line_offset(out.extents, out.strides, axis, i),
                                     {1, n}, {0, out.strides[axis]}));
    });
  }

 private:
  fft_plan<T> plan_;
};

std::string refusal(const fft_problem&) { return {}; }
fft_estimate estimate(const fft_problem&, std::size_t) { return {}; }
std::unique_ptr<const fft_executor> build(const fft_problem& p) {
  return std::make_unique<complex_line<double>>(p);
}

}  // namespace

fft_candidate host_fft() { return {"host", "", true, refusal, estimate, build}; }

}  // namespace papilio::backends_detail
