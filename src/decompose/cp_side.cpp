#include "decompose/cp_side.hpp"

#include <type_traits>

#include "decompose/device_mode_array.hpp"
#include "decompose/device_products.hpp"
#include "decompose/mode_split.hpp"
#include "decompose/partial_products.hpp"
#include "decompose/product_plan.hpp"
#include "decompose/side.hpp"
#include "papilio/base/error.hpp"

namespace papilio::decompose_detail {
namespace {

using base_detail::message;

side_work work_of(std::span<const std::size_t> extents, std::size_t rank, std::size_t sweeps,
                  real_type type) {
  side_work work{upload_of(extents)};
  std::size_t mode = 0;
  for (product_plan& plan : product_plans(extents, rank)) {
    std::size_t up = 0;
    for (const std::size_t factor : plan.factors) up += rank * extents[factor];
    plan.problem.type = type;
    work.push_back(dispatch_of(plan.problem, sweeps, up, rank * extents[mode++]));
  }
  return work;
}

}  // namespace

template <class T>
accelerator* cp_side(const char* function, std::span<const std::size_t> extents, std::size_t rank,
                     const cp_options<T>& options) {
  execution on = options.on;
  if (options.mask) {
    if (on.where == policy::device)
      throw invalid_argument(
          message(function, ": a mask is of the host only, the policy is device"));
    on.where = policy::host;
  }
  return side_of(function, on,
                 [&] { return work_of(extents, rank, options.max_iterations, real_type_of<T>); });
}

template <class T>
cp_operand<T> operand_on(const char* function, accelerator* device, const prepared_operand<T>& x,
                         std::size_t rank, const cp_options<T>& options, run_record& sum) {
  const int threads = options.on.threads;
  if constexpr (std::is_same_v<T, float>)
    if (device != nullptr) {
      const shared_tensor there = lying_on(function, *device, x.data, x.extents, sum);
      return {std::make_unique<device_mode_array>(function, *device, there, x.data, x.extents,
                                                  threads, sum),
              std::make_unique<device_products>(function, *device, there, x.extents, rank, sum)};
    }
  return {std::make_unique<host_array<T>>(x, threads),
          std::make_unique<partial_products<T>>(x, rank, threads)};
}

#define PAPILIO_INSTANTIATE(T)                                                             \
  template accelerator* cp_side(const char*, std::span<const std::size_t>, std::size_t,    \
                                const cp_options<T>&);                                     \
  template cp_operand<T> operand_on(const char*, accelerator*, const prepared_operand<T>&, \
                                    std::size_t, const cp_options<T>&, run_record&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::decompose_detail
