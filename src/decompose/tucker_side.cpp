#include "decompose/tucker_side.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "decompose/device_mode_array.hpp"
#include "decompose/projection.hpp"
#include "decompose/side.hpp"
#include "decompose/tucker_steps.hpp"

namespace papilio::decompose_detail {
namespace {

class work_maker {
 public:
  work_maker(std::span<const std::size_t> extents, real_type type)
      : extents_(extents), type_(type), work_{upload_of(extents)} {}

  // The products, and the Gram matrix of a mode.
  void add(std::span<const std::size_t> from, std::span<const axis_product> products,
           const axis_range& rows, std::size_t times) {
    contraction_problem problem = projection_problem(from, products, rows);
    problem.type = type_;
    const operand_shapes shapes = shapes_of(problem);
    std::size_t up = 0;
    for (std::size_t i = 1; i < shapes.in.size(); ++i) up += shapes.in[i].count();
    work_.push_back(dispatch_of(problem, times, up, shapes.out.back().count()));
  }

  void add_truncation(std::span<const std::size_t> ranks, bool has_tolerance) {
    std::vector<std::size_t> from(extents_.begin(), extents_.end());
    std::vector<axis_product> waiting;
    for (const std::size_t mode : truncation_order(extents_, ranks)) {
      const std::size_t rank = ranks.empty() ? extents_[mode] : ranks[mode];
      if (!has_tolerance && rank == extents_[mode]) continue;
      add(from, waiting, {mode, mode + 1}, 1);
      from = projected_extents(from, waiting);
      waiting = {{mode, rank}};
    }
    if (!waiting.empty()) add(from, waiting, {}, 1);
  }

  void add_sweeps(std::span<const std::size_t> ranks, std::size_t sweeps) {
    if (sweeps == 0) return;
    const auto rank = [&](std::size_t mode) {
      return ranks.empty() ? extents_[mode] : ranks[mode];
    };
    std::vector<axis_product> others;
    for (std::size_t mode = 0; mode < extents_.size(); ++mode) {
      others.clear();
      for (std::size_t m = 0; m < extents_.size(); ++m)
        if (m != mode) others.push_back({m, rank(m)});
      add(extents_, others, {mode, mode + 1}, sweeps);
    }
    const std::size_t last = extents_.size() - 1;
    const axis_product core{last, rank(last)};
    add(projected_extents(extents_, others), {&core, 1}, {}, sweeps);
  }

  side_work finished() && { return std::move(work_); }

 private:
  std::span<const std::size_t> extents_;
  real_type type_;
  side_work work_;
};

}  // namespace

template <class T>
accelerator* tucker_side(const char* function, std::span<const std::size_t> extents,
                         std::span<const std::size_t> ranks, bool has_tolerance, std::size_t sweeps,
                         const execution& on) {
  // The core is x: nothing is computed, but what may not run there is refused all the same.
  if (!has_tolerance && sweeps == 0 && std::ranges::equal(ranks, extents))
    return side_of(function, on, [] {
      return side_work{{.steps = {{.what = gemm_problem{.type = real_type_of<T>}}}}};
    });
  return side_of(function, on, [&] {
    work_maker work(extents, real_type_of<T>);
    work.add_truncation(ranks, has_tolerance);
    work.add_sweeps(ranks, sweeps);
    return std::move(work).finished();
  });
}

template <class T>
std::unique_ptr<mode_array<T>> array_on(const char* function, accelerator* device,
                                        const prepared_operand<T>& x, int threads,
                                        run_record& sum) {
  if constexpr (std::is_same_v<T, float>)
    if (device != nullptr)
      return std::make_unique<device_mode_array>(
          function, *device, lying_on(function, *device, x.data, x.extents, sum), x.data, x.extents,
          threads, sum);
  return std::make_unique<host_array<T>>(x, threads);
}

#define PAPILIO_INSTANTIATE(T)                                                          \
  template accelerator* tucker_side<T>(const char*, std::span<const std::size_t>,       \
                                       std::span<const std::size_t>, bool, std::size_t, \
                                       const execution&);                               \
  template std::unique_ptr<mode_array<T>> array_on(const char*, accelerator*,           \
                                                   const prepared_operand<T>&, int, run_record&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::decompose_detail
