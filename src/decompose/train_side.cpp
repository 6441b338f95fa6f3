#include "decompose/train_side.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "decompose/projection.hpp"
#include "decompose/side.hpp"

namespace papilio::decompose_detail {
namespace {

// The steps of device_rest.
side_work work_of(std::span<const std::size_t> extents, std::span<const std::size_t> bounds,
                  real_type type) {
  side_work work{upload_of(extents)};
  std::size_t rows = extents[0], columns = product_of(extents) / rows;
  const auto add = [&](std::span<const std::size_t> from, std::span<const axis_product> products,
                       const axis_range& axes, std::size_t more_up) {
    contraction_problem problem = projection_problem(from, products, axes);
    problem.type = type;
    const operand_shapes shapes = shapes_of(problem);
    const std::size_t factor = shapes.in.size() > 1 ? shapes.in[1].count() : 0;
    work.push_back(dispatch_of(problem, 1, factor + more_up, shapes.out.back().count()));
  };
  std::vector<std::size_t> from{1, rows, columns};
  std::vector<axis_product> waiting;
  std::size_t up = 0;  // what is left, where the host had it
  for (std::size_t mode = 0; mode + 1 < extents.size(); ++mode) {
    const std::size_t rank = std::min({bounds[mode], rows, columns}), next = extents[mode + 1];
    const bool is_left = rows <= columns;
    add(from, waiting, is_left ? axis_range{0, 2} : axis_range{2, 3}, up);
    waiting.clear();
    up = 0;
    if (is_left) {
      from = {rows, next, columns / next};
      waiting = {{0, rank}};
    } else {
      const std::size_t matrix[] = {rows, columns};
      const axis_product by{1, rank};
      add(matrix, {&by, 1}, {}, 0);
      from = {rank, next, columns / next};
      up = rank * columns;
    }
    rows = rank * next;
    columns /= next;
  }
  if (!waiting.empty()) add(from, waiting, {}, 0);
  return work;
}

}  // namespace

template <class T>
accelerator* train_side(const char* function, std::span<const std::size_t> extents,
                        std::span<const std::size_t> bounds, const execution& on) {
  return side_of(function, on, [&] { return work_of(extents, bounds, real_type_of<T>); });
}

template <class T>
std::unique_ptr<train_rest<T>> rest_on(const char* function, accelerator* device,
                                       const prepared_operand<T>& x, int threads, run_record& sum) {
  if constexpr (std::is_same_v<T, float>)
    if (device != nullptr) return std::make_unique<device_rest>(function, *device, x, threads, sum);
  return std::make_unique<host_rest<T>>(x, threads);
}

#define PAPILIO_INSTANTIATE(T)                                                         \
  template accelerator* train_side<T>(const char*, std::span<const std::size_t>,       \
                                      std::span<const std::size_t>, const execution&); \
  template std::unique_ptr<train_rest<T>> rest_on(const char*, accelerator*,           \
                                                  const prepared_operand<T>&, int, run_record&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::decompose_detail
