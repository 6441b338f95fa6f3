// Kernels of one product: their operands, and what is said of them.
#include <algorithm>
#include <utility>

#include "kernels/checks.hpp"
#include "kernels/designed_kernel.hpp"
#include "kernels/products/products.hpp"
#include "kernels/tiles.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;
using base_detail::message;
using kernels::product_epilogue;
using kernels::product_sums;
using kernels::sized_kernel;
using kernels::triangle_layout;

sized_kernel operands_of(const char* name, const product_design& d, const machine_spec& machine) {
  const matrix_product& p = d.product;
  const auto matrices = [&](std::int64_t batch, std::int64_t rows, std::int64_t columns,
                            dtype type) {
    tensor_shape shape{{}, type};
    if (d.in_batch) shape.extents.push_back(batch);
    if (p.planes() > 1) shape.extents.push_back(p.planes());
    shape.extents.insert(shape.extents.end(), {rows, columns});
    return shape;
  };
  const auto operand = [&](bool transposed, std::int64_t batch, std::int64_t rows,
                           std::int64_t columns) {
    return matrices(batch, transposed ? columns : rows, transposed ? rows : columns, p.type);
  };
  const tensor_shape result =
      p.part
          ? tensor_shape{{triangle_layout(*p.part, p.n, array_side(machine)).elements()}, p.result}
          : matrices(p.batches(), p.m, p.n, p.result);
  sized_kernel sized{.program = {.name = name},
                     .inputs = {operand(p.left_transposed, p.batch_a, p.m, p.k)},
                     .outputs = {result}};
  if (!p.part)
    sized.inputs.push_back(operand(p.right_transposed, d.right_repeated ? 1 : p.batch_b, p.k, p.n));
  if (p.epilogue.beta != 0) sized.inputs.push_back(result);
  if (p.biased)
    sized.inputs.push_back(
        {p.planes() > 1 ? std::vector{p.planes(), p.n} : std::vector{p.n}, p.type});
  if (p.epilogue.sums != product_sums::none) sized.outputs = {{{p.sums()}, dtype::fp32}};
  sized.ranges.resize(sized.inputs.size());
  return sized;
}

void run_design(core& nc, const product_design& d, const kernel_arguments& t) {
  const matrix_product& p = d.product;
  std::size_t next = 0;
  const auto matrices = [&](const hbm_view& v, std::int64_t rows, std::int64_t columns) {
    const std::int64_t each = p.planes() * rows * columns;
    return v.reshape({v.elements() / each, p.planes(), rows, columns});
  };
  const auto result = [&](const hbm_view& v) { return p.part ? v : matrices(v, p.m, p.n); };
  const auto operand = [&](bool transposed, std::int64_t rows, std::int64_t columns) {
    return matrices(t.in(next++), transposed ? columns : rows, transposed ? rows : columns);
  };
  if (p.form != product_form::real) nc.state_floor(p.bytes(), p.tensor_cycles(4, nc.machine()));
  product_operands operands;
  operands.a = operand(p.left_transposed, p.m, p.k);
  operands.b = p.part ? operands.a : operand(p.right_transposed, p.k, p.n);
  if (d.right_repeated)
    operands.b = operands.b.pattern(0, {{p.batches(), 0}, {1, p.k * p.n}, {p.k, p.n}, {p.n, 1}});
  if (p.epilogue.beta != 0) operands.before = result(t.in(next++));
  if (p.biased) operands.bias = t.in(next++).reshape({p.planes(), p.n});
  (p.epilogue.sums == product_sums::none ? operands.c : operands.sums) =
      p.epilogue.sums == product_sums::none ? result(t.out(0)) : t.out(0);
  run_product(nc, p, d.tiling, operands);
}

// Panels that follow one another, from where on what is made ahead is no matter of the first.
kernels::repetition repetition_of(const char* name, const product_design& design,
                                  const machine_spec& machine) {
  constexpr std::int64_t panels_min = 2;
  constexpr double effort_min = 1000;
  const matrix_product& problem = design.product;
  const product_tiling& tiling = design.tiling;
  const bool in_batch = problem.batches() > 1;
  const std::int64_t step = in_batch ? 1 : tiling.rows * tiling.groups;
  const auto enough =
      std::int64_t(effort_min / effort_of(design.of_count(step).product, tiling)) + 1;
  return {.unit = in_batch ? "products" : "rows",
          .count = in_batch ? problem.batches() : problem.m,
          .least = step * std::max(panels_min, enough),
          .part = [name, design, machine](std::int64_t count) {
            const product_design part = design.of_count(count);
            return designed(operands_of(name, part, machine), part, machine, run_design);
          }};
}

// The product's expected error is the result's: of no sums, and of functions that keep it.
bool has_stated_error(const product_epilogue& e) {
  using enum activation_function;
  return e.sums == product_sums::none &&
         (e.function == copy || e.function == relu || e.function == abs);
}

// A line; none where there is no epilogue.
std::string epilogue_text(const matrix_product& p) {
  const product_epilogue& e = p.epilogue;
  if (e.is_plain() && !p.biased) return {};
  const std::string scaled = e.alpha == 1 ? std::string("A B") : message(e.alpha, " A B");
  const std::string before = e.beta == 0 ? std::string() : message(" + ", e.beta, " C0");
  const std::string values = message(scaled, before, p.biased ? " + bias" : "");
  const bool has_function = e.function != activation_function::copy;
  const std::string whole =
      has_function ? message(engine::to_string(e.function), "(", values, ")") : values;
  const char* const sums = e.sums == product_sums::none   ? ""
                           : e.sums == product_sums::rows ? ", summed by rows"
                                                          : ", summed whole";
  return message("epilogue: ", whole, sums, ", on the way out of PSUM\n");
}

// Of a triangle in blocks of a tiling's side.
std::string triangle_text(const matrix_product& p, std::int64_t side) {
  const triangle_layout lies(*p.part, p.n, side);
  const std::int64_t blocks = lies.rows_of_blocks();
  return message("the ", *p.part == kernels::triangle::lower ? "lower" : "upper", " triangle, ",
                 blocks * (blocks + 1) / 2, " of ", blocks * blocks, " blocks of ", side, " x ",
                 side, ", ", lies.elements(), " elements\n");
}

}  // namespace

matrix_product checked_product(const char* name, const gemm_problem& problem, dtype type,
                               dtype result) {
  const std::int64_t batch = checked_size(name, "batch", problem.batch);
  const matrix_product product{.batch_a = problem.shared_left ? 1 : batch,
                               .batch_b = problem.shared_right ? 1 : batch,
                               .m = checked_size(name, "m", problem.m),
                               .n = checked_size(name, "n", problem.n),
                               .k = checked_size(name, "k", problem.k),
                               .type = type,
                               .result = result};
  require_single(name, problem.type);
  require_float(name, "type", type);
  require_float(name, "result", result);
  return product;
}

void require_one_product(const char* name, const gemm_problem& problem) {
  require(problem.batch == 1, name, ": batch must be 1, got ", problem.batch);
}

void require_real(const char* name, const gemm_problem& problem) {
  require(!problem.is_complex, name, ": the problem must be real, got a complex one");
}

void require_complex(const char* name, const gemm_problem& problem) {
  require(problem.is_complex, name, ": the problem must be complex, got a real one");
}

product_epilogue checked_epilogue(const char* name, const product_epilogue& epilogue) {
  require_finite(name, "alpha", epilogue.alpha);
  require_finite(name, "beta", epilogue.beta);
  return epilogue;
}

product_form product_form_of(const char* name, int products) {
  require(products == 3 || products == 4, name, ": products must be 3 or 4, got ", products);
  return products == 3 ? product_form::three_products : product_form::four_products;
}

hbm_view one_matrix(const hbm_view& matrix) {
  return matrix.reshape({1, 1, matrix.extent(0), matrix.extent(1)});
}

std::function<void(core&, const product_tiling&)> scratch_run(const matrix_product& product,
                                                              const machine_spec& machine) {
  const product_design design{.product = product, .in_batch = true};
  return [operands = operands_of("", design, machine), design](core& nc, const product_tiling& t) {
    product_design tiled = design;
    tiled.tiling = t;
    std::vector<hbm_view> in, out;
    for (const tensor_shape& s : operands.inputs) in.push_back(nc.hbm(s.extents, s.type));
    for (const tensor_shape& s : operands.outputs) out.push_back(nc.hbm(s.extents, s.type));
    run_design(nc, tiled, kernel_arguments(std::move(in), std::move(out)));
  };
}

std::string product_design::describe() const {
  const std::string tiles = tiling.describe(product.k);
  if (product.form != product_form::real)
    return message(product.products(), " real products; ", tiles);
  return epilogue_text(product) + (product.part ? triangle_text(product, tiling.side) : "") + tiles;
}

product_design product_design::of_count(std::int64_t count) const {
  product_design other = *this;
  if (product.part) return other;
  if (product.batches() == 1) {
    other.product.m = count;
    return other;
  }
  for (std::int64_t* const batch : {&other.product.batch_a, &other.product.batch_b})
    if (*batch > 1) *batch = count;
  return other;
}

sized_kernel tiled_kernel(const char* name, product_design design, const machine_spec& machine) {
  sized_kernel operands = operands_of(name, design, machine);
  require_bytes(operands);  // before anything is priced
  product_choice choice = choose_tiling(design.product, machine);
  design.tiling = choice.tiling;
  sized_kernel sized = designed(std::move(operands), design, machine, run_design);
  sized.chosen_as = std::move(choice.chosen_as);
  sized.compared = std::move(choice.compared);
  if (has_stated_error(design.product.epilogue))
    sized.expected_error = design.product.expected_error(machine);
  if (!design.product.part) sized.repeats = repetition_of(name, design, machine);
  return sized;
}

}  // namespace papilio::kernels_detail
