// papilio's plans behind fft_executor.
#include "transform/host_executors.hpp"

#include <utility>
#include <vector>

#include "fft/plan_access.hpp"
#include "transform/recipe_cost.hpp"

namespace papilio::transform_detail {
namespace {

std::vector<recipe> designs_of(const auto& plan) {
  if constexpr (requires { plan.designs(); })
    return plan.designs();
  else
    return {plan.design()};
}

template <class T>
std::size_t scratch_bytes_of(const fft_plan<T>& plan) {
  return plan.scratch_size() * 2 * sizeof(T);
}
template <class T>
std::size_t scratch_bytes_of(const rfft_plan<T>& plan) {
  return plan.scratch_size() * 2 * sizeof(T);
}
template <class T>
std::size_t scratch_bytes_of(const dct_plan<T>& plan) {
  return plan.scratch_size() * sizeof(T);
}
std::size_t scratch_bytes_of(const auto& /*of_arrays*/) { return 0; }

template <class Plan>
class host_executor final : public fft_executor {
 public:
  host_executor(Plan plan, bool inverse) : plan_(std::move(plan)), inverse_(inverse) {}

  std::string recipe() const override {
    std::string text;
    for (const papilio::recipe& r : designs_of(plan_))
      text.append(text.empty() ? "" : " ").append(to_string(r));
    return text;
  }
  std::size_t table_bytes() const override {
    double points = 0;
    for (const papilio::recipe& r : designs_of(plan_)) points += cost_of(r).table_points;
    return static_cast<std::size_t>(points) * 2 * sizeof(typename Plan::value_type);
  }
  std::size_t scratch_bytes() const override { return scratch_bytes_of(plan_); }
  void execute(const untyped_view<const void>& in, const untyped_view<void>& out, std::size_t axis,
               int threads) const override {
    fft_detail::plan_access::run(plan_, inverse_, in, out, axis, threads);
  }

 private:
  Plan plan_;
  bool inverse_;
};

template <class T>
std::unique_ptr<const fft_executor> build_in(const fft_problem& p) {
  const fft_options options = host_options(p);
  const std::size_t n = p.extents[0];
  const std::vector<std::ptrdiff_t> axes(p.axes.begin(), p.axes.end());
  const auto executor = [&](auto plan) -> std::unique_ptr<const fft_executor> {
    return std::make_unique<host_executor<decltype(plan)>>(std::move(plan), p.is_inverse());
  };
  if (p.is_trigonometric()) return executor(dct_plan<T>(n, plan_kind(p), options));
  if (p.is_complex() && p.is_line()) return executor(fft_plan<T>(n, p.dir, options));
  if (p.is_complex()) return executor(fftn_plan<T>(p.extents, axes, p.dir, options));
  const auto real_executor = [&](auto plan) { return executor(p.adjoint ? plan.adjoint() : plan); };
  if (p.is_line()) return real_executor(rfft_plan<T>(n, options));
  return real_executor(rfftn_plan<T>(p.extents, axes, options));
}

}  // namespace

std::unique_ptr<const fft_executor> build_host_executor(const fft_problem& p) {
  switch (p.type) {
    case real_type::single_precision:
      return build_in<float>(p);
    case real_type::double_precision:
      return build_in<double>(p);
    case real_type::extended_precision:
      break;
  }
  return build_in<long double>(p);
}

}  // namespace papilio::transform_detail
