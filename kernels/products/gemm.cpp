// GEMM of one pair of matrices, of a batch, and of complex ones as real and imaginary planes; the
// linear layer x W^T + b.
//   identity   C[i] = f(alpha A[i] B[i] + beta C0[i] + bias)
//              complex: re = Ar Br + Ai (-Bi), im = Ar Bi + Ai Br; or by three products p = Ar Br,
//              q = Ai Bi, s = (Ar + Ai)(Br + Bi): re = p - q, im = s - p - q
//   layout     product/run.cpp has it; products of a batch run one after the other, and planes lie
//              side by side on the free axis
//   bound      tensor engine: passes * products * batch m k n / 128^2 cycles; DMA where A has few
//              rows
#include "papilio/kernels/gemm.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "kernels/checks.hpp"
#include "kernels/entries.hpp"
#include "kernels/parameters.hpp"
#include "kernels/products/products.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

namespace {

std::optional<dtype> checked_packed(const gemm_kernel_options& options,
                                    const machine_spec& machine) {
  if (!options.packed) return {};
  require_free_of(isa_rule::matmul_mx_exists, "gemm", "packed operands", machine);
  require(*options.packed == dtype::fp8_e4m3fn_x4 || *options.packed == dtype::fp8_e5m2_x4,
          "gemm: packed must be fp8_e4m3fn_x4 or fp8_e5m2_x4, got ", to_string(*options.packed));
  require(size_bytes(options.type) > 1,
          "gemm: type must have 16 bits or more to be quantised, got ", to_string(options.type));
  return options.packed;
}

}  // namespace

void gemm(core& nc, const hbm_view& c, const hbm_view& a, const hbm_view& b) {
  if (a.rank() != 2 || b.rank() != 2 || c.rank() != 2 || a.extent(1) != b.extent(0) ||
      c.extent(0) != a.extent(0) || c.extent(1) != b.extent(1))
    throw shape_error(base_detail::message("gemm: C ", c.describe(), " is not A ", a.describe(),
                                           " times B ", b.describe()));
  matrix_product problem{
      .m = a.extent(0), .n = b.extent(1), .k = a.extent(1), .type = a.type(), .result = c.type()};
  contraction_step step = problem.step();
  step.stored[1] = b.type();
  for (const auto& [of, tensor, rows, columns] : {std::tuple(operand_role::left, &a, 0, 2),
                                                  {operand_role::right, &b, 2, 1},
                                                  {operand_role::out, &c, 0, 1}}) {
    const auto s = std::size_t(of);
    step.axes[std::size_t(rows)].strides[s] = tensor->dims()[0].stride;
    step.axes[std::size_t(columns)].strides[s] = tensor->dims()[1].stride;
    step.plane[s] = 1;
    for (const pattern_dim& d : tensor->dims()) step.plane[s] += (d.extent - 1) * d.stride;
  }
  run_products(nc, step, choose_product("gemm", step, nc.machine()).design, {.flat = {a, b, c}});
}

sized_kernel gemm_kernel(const gemm_problem& problem, const machine_spec& machine,
                         const gemm_kernel_options& options) {
  matrix_product product = checked_product("gemm", problem, options.type, options.result);
  require_one_product("gemm", problem);
  require_real("gemm", problem);
  product.left_transposed = options.left_transposed;
  product.right_transposed = options.right_transposed;
  product.epilogue = checked_epilogue("gemm", options.epilogue);
  product.biased = options.epilogue.bias;
  product.packed = checked_packed(options, machine);
  return product_kernel("gemm", {product}, machine);
}

sized_kernel batched_gemm_kernel(const gemm_problem& problem, const machine_spec& machine,
                                 const batched_gemm_kernel_options& options) {
  constexpr const char* name = "batched_gemm";
  matrix_product product = checked_product(name, problem, options.type, options.result);
  require_real(name, problem);
  product.epilogue = checked_epilogue(name, {.alpha = options.alpha, .beta = options.beta});
  const std::int64_t batch = std::int64_t(problem.batch), m = product.m;
  // With both operands shared all products are the same one, which is made anew for each result.
  const bool repeated = product.batches() < batch;
  if (repeated) product.batch_b = batch;
  product.right_repeated = repeated;
  // With B shared, the batch's rows are the rows of one product.
  const bool tall = problem.shared_right && !problem.shared_left;
  if (tall) {
    product.m = checked_multiply(batch, m, "batched_gemm: rows");
    product.batch_a = 1;
  }
  sized_kernel sized = product_kernel(name, {.product = product, .in_batch = true}, machine);
  if (tall) {
    sized.inputs[0].extents = {batch, m, product.k};
    sized.outputs[0].extents = {batch, m, product.n};
    if (options.beta != 0) sized.inputs[2].extents = sized.outputs[0].extents;
  }
  return sized;
}

sized_kernel complex_gemm_kernel(const gemm_problem& problem, const machine_spec& machine,
                                 const complex_gemm_kernel_options& options) {
  constexpr const char* name = "complex_gemm";
  matrix_product product = checked_product(name, problem, options.type, options.result);
  require_one_product(name, problem);
  require_complex(name, problem);
  product.form = product_form_of(name, options.products);
  product.right_transposed = options.right_transposed;
  product.biased = options.bias;
  return product_kernel(name, {product}, machine);
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {
namespace {

using namespace engine;
using kernels::product_sums;

constexpr std::array functions{
    activation_function::copy,  activation_function::square,     activation_function::sqrt,
    activation_function::rsqrt, activation_function::reciprocal, activation_function::exp,
    activation_function::log,   activation_function::sin,        activation_function::arctan,
    activation_function::tanh,  activation_function::sigmoid,    activation_function::relu,
    activation_function::gelu,  activation_function::silu,       activation_function::softplus,
    activation_function::mish,  activation_function::erf,        activation_function::sign,
    activation_function::abs};

named_values<activation_function> named_functions() {
  named_values<activation_function> named;
  for (const activation_function f : functions) named.emplace_back(to_string(f), f);
  return named;
}

struct gemm_request : gemm_problem, kernels::gemm_kernel_options, kernels::product_epilogue {};
struct batched_gemm_request : gemm_problem, kernels::batched_gemm_kernel_options {
  char shared = 'n';
};
struct complex_gemm_request : gemm_problem, kernels::complex_gemm_kernel_options {};

settings<complex_gemm_request> complex_settings(const settings<gemm_problem>& sizes,
                                                const char* dtype_help) {
  using r = complex_gemm_request;
  return settings<r>{}.with(sizes).with(
      {choice_setting("products", &r::products, "Real products that a complex one is made of",
                      {{"4", 4}, {"3", 3}}),
       product_dtype_setting(&kernels::complex_gemm_kernel_options::type, dtype_help)});
}

kernels::sized_kernel complex_product(complex_gemm_request r, const machine_spec& machine) {
  r.is_complex = true;
  return kernels::complex_gemm_kernel(r, machine, r);
}

}  // namespace

kernels::catalog_entry gemm_entry() {
  using r = gemm_request;
  const named_values<bool> ways{{"plain", false}, {"transposed", true}};
  return settings<r>{}
      .with(product_sizes("1024"))
      .with(
          {product_dtype_setting(&kernels::gemm_kernel_options::type, "Type of A and B; C is fp32"),
           choice_setting(
               "precision", &r::packed,
               "Operands of the products: A and B as they are, or quantised on the device",
               {{"native", std::nullopt}, {"mxfp8", dtype::fp8_e4m3fn_x4}}),
           choice_setting("left", &r::left_transposed, "Storage of A", ways),
           choice_setting("right", &r::right_transposed, "Storage of B", ways),
           factor_setting("alpha", &r::alpha, "1", "Factor of A B"),
           factor_setting("beta", &r::beta, "0", "Factor of C0; 0: there is none"),
           yes_setting("bias", &r::bias, "A row that is added"),
           choice_setting("function", &r::function,
                          "Function of the values that are stored or summed", named_functions()),
           choice_setting("sums", &r::sums, "Sums that are stored instead of C",
                          {{"none", product_sums::none},
                           {"rows", product_sums::rows},
                           {"whole", product_sums::whole}})})
      .entry("gemm",
             "C = f(alpha A B + beta C0 + bias), A m x k, B k x n, on the tensor engine; or its "
             "sums",
             [](r request, const machine_spec& machine) {
               request.epilogue = request;
               return kernels::gemm_kernel(request, machine, request);
             });
}

kernels::catalog_entry batched_gemm_entry() {
  using r = batched_gemm_request;
  return settings<r>{number_setting("batch", &r::batch, "4", "Number of products")}
      .with(product_sizes("512"))
      .with({choice_setting("shared", &r::shared, "The operand that all products have in common",
                            {{"none", 'n'}, {"a", 'a'}, {"b", 'b'}}),
             product_dtype_setting(&kernels::batched_gemm_kernel_options::type,
                                   "Type of A and B; C is fp32"),
             factor_setting("alpha", &r::alpha, "1", "Factor of the products"),
             factor_setting("beta", &r::beta, "0", "Factor of C0; 0: there is none")})
      .entry("batched_gemm",
             "C[i] = alpha A[i] B[i] + beta C0[i], A m x k, B k x n, on the tensor engine",
             [](r request, const machine_spec& machine) {
               request.shared_left = request.shared == 'a';
               request.shared_right = request.shared == 'b';
               return kernels::batched_gemm_kernel(request, machine, request);
             });
}

kernels::catalog_entry complex_gemm_entry() {
  return complex_settings(product_sizes("512"), "Type of A and B; C is fp32")
      .entry("complex_gemm", "C = A B of planar complex matrices, A m x k, B k x n",
             complex_product);
}

kernels::catalog_entry complex_linear_entry() {
  return complex_settings(
             {number_setting("batch", &gemm_problem::m, "512", "Rows of x and y"),
              number_setting("in", &gemm_problem::k, "512", "Columns of x and W"),
              number_setting("out", &gemm_problem::n, "512", "Rows of W, columns of y")},
             "Type of x, W and b; y is fp32")
      .entry("complex_linear", "y = x W^T + b of planar complex tensors, x batch x in, W out x in",
             [](complex_gemm_request request, const machine_spec& machine) {
               request.right_transposed = request.bias = true;
               kernels::sized_kernel sized = complex_product(request, machine);
               sized.program.name = "complex_linear";
               return sized;
             });
}

}  // namespace papilio::kernels_detail
