#include "papilio/contract/einsum.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "papilio/base/error.hpp"
#include "papilio/blas/gemm.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio::contract_detail {
namespace {

using base_detail::message;

template <class T>
inline constexpr bool is_complex_type = !std::is_floating_point_v<T>;
template <class T>
inline constexpr real_type precision_of =
    sizeof(T) == (is_complex_type<T> ? 2 : 1) * sizeof(float) ? real_type::single_precision
                                                              : real_type::double_precision;

bool transposes(matrix_op op) {
  return op == matrix_op::transpose || op == matrix_op::conjugate_transpose;
}

// m, k, n and the batch of op(A) op(B); shape_error unless they fit.
gemm_problem problem_of(const char* function, const extents_type<3>& a, const extents_type<3>& b,
                        const product_options& o) {
  const std::size_t k = columns_of(a, o.a);
  if (rows_of(b, o.b) != k)
    throw shape_error(message(function, ": op(B) must have ", k, " rows, as many as op(A) has ",
                              "columns, got ", rows_of(b, o.b)));
  if (a[0] != b[0] && a[0] != 1 && b[0] != 1)
    throw shape_error(message(function, ": batches must be equal or 1, got ", a[0], " and ", b[0]));
  const std::size_t batch = a[0] == 1 ? b[0] : a[0];
  return {.batch = batch,
          .m = rows_of(a, o.a),
          .k = k,
          .n = columns_of(b, o.b),
          .shared_left = a[0] == 1 && batch > 1,
          .shared_right = b[0] == 1 && batch > 1};
}

template <class T>
view<const T, 3> shared_by(std::size_t batch, view<const T, 3> v) {
  if (v.extent(0) == batch) return v;
  return {v.data(), {batch, v.extent(1), v.extent(2)}, {0, v.stride(1), v.stride(2)}};
}

template <class T>
view<const T, 3> transposed(view<const T, 3> v, matrix_op op) {
  if (!transposes(op)) return v;
  return {
      v.data(), {v.extent(0), v.extent(2), v.extent(1)}, {v.stride(0), v.stride(2), v.stride(1)}};
}

template <class T>
void run_on_host(view<const T, 3> a, view<const T, 3> b, view<T, 3> c,
                 const product_options& options) {
  gemm_batched(T(1), shared_by(c.extent(0), a), shared_by(c.extent(0), b), T(0), c,
               {.a = options.a, .b = options.b, .threads = options.on.threads});
  dispatch_detail::record_host_run("gemm");
}

// The accelerator for op(A) op(B) of these elements; null: the host. Products without elements are
// asked for as ones with some: what an execution cannot have is refused whatever the sizes.
accelerator* place_of(const char* function, gemm_problem p, const product_options& o) {
  for (std::size_t* extent : {&p.batch, &p.m, &p.k, &p.n})
    *extent = std::max<std::size_t>(*extent, 1);
  if (!p.is_complex || (!conjugates(o.a) && !conjugates(o.b)))
    return place(function, p, o.on, host_roofline());
  if (o.on.where == policy::device)
    throw device_error(message(function, ": no accelerator conjugates the operands of a product"));
  execution host = o.on;
  host.where = policy::host;
  return place(function, p, host, host_roofline());
}

}  // namespace

template <class T>
void product(const char* function, view<const T, 3> a, view<const T, 3> b, view<T, 3> c,
             const product_options& options) {
  gemm_problem p = problem_of(function, a.extents(), b.extents(), options);
  if (c.extents() != extents_type<3>{p.batch, p.m, p.n})
    throw shape_error(message(function, ": C must be ", p.batch, " x ", p.m, " x ", p.n, ", got ",
                              c.extent(0), " x ", c.extent(1), " x ", c.extent(2)));
  p.is_complex = is_complex_type<T>;
  p.type = precision_of<T>;
  accelerator* const device =
      dispatch_detail::is_plain_host(options.on) ? nullptr : place_of(function, p, options);
  const bool is_empty = p.batch == 0 || p.m == 0 || p.n == 0 || p.k == 0;
  if (device == nullptr || is_empty) return run_on_host(a, b, c, options);
  const view<const T, 3> left = transposed(a, options.a), right = transposed(b, options.b);
  run_on(function, *device, p, options.on.precision, {left, right}, {c});
}

shared_tensor product_on_device(const char* function, const shared_tensor& a,
                                const shared_tensor& b, const product_options& options) {
  if (options.a != matrix_op::none || options.b != matrix_op::none)
    throw device_error(
        message(function, ": device arrays are multiplied as they are, op must be none"));
  const auto extents_of = [](const shared_tensor& t) {
    const std::vector<std::size_t>& e = t->shape().extents;
    return e.size() == 2 ? extents_type<3>{1, e[0], e[1]} : extents_type<3>{e[0], e[1], e[2]};
  };
  gemm_problem p = problem_of(function, extents_of(a), extents_of(b), options);
  p.is_complex = a->shape().is_complex;
  accelerator& on = place_device_array(function, a->on(function), options.on);
  const bool has_batch = a->shape().extents.size() == 3 || b->shape().extents.size() == 3;
  operand_shape result{has_batch ? std::vector{p.batch, p.m, p.n} : std::vector{p.m, p.n},
                       p.is_complex};
  return run_to_new(function, on, p, options.on.precision, {a, b}, {result})[0];
}

#define PAPILIO_PRODUCT(T)                                                           \
  template void product(const char*, view<const T, 3>, view<const T, 3>, view<T, 3>, \
                        const product_options&);
PAPILIO_PRODUCT(float)
PAPILIO_PRODUCT(double)
PAPILIO_PRODUCT(std::complex<float>)
PAPILIO_PRODUCT(std::complex<double>)

}  // namespace papilio::contract_detail
