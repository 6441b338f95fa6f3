// The kernel of one product: its operands, expected error, parts for dry runs, and description.
#include <algorithm>
#include <utility>

#include "kernels/checks.hpp"
#include "kernels/designed_kernel.hpp"
#include "kernels/product/rooms.hpp"
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

constexpr int counted_axis = 0;  // the axis of the batch, else of rows

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
          ? tensor_shape{{triangle_layout(*p.part, p.n, array_rows(machine)).elements()}, p.result}
          : matrices(p.batches(), p.m, p.n, p.result);
  sized_kernel sized{.program = {.name = name},
                     .inputs = {operand(p.left_transposed, p.batch_a, p.m, p.k)},
                     .outputs = {result}};
  if (!p.part)
    sized.inputs.push_back(operand(p.right_transposed, p.right_repeated ? 1 : p.batch_b, p.k, p.n));
  if (p.right_triangle) std::swap(sized.inputs[0], sized.inputs[1]);
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
  if (p.form != product_form::real || p.has_triangle())
    nc.state_floor(p.bytes(), p.tensor_cycles(p.form == product_form::real ? 1 : 4, nc.machine()));
  std::size_t next = 1;
  step_tensors tensors;
  tensors.flat[0] = t.in(0);
  tensors.flat[1] = p.part ? t.in(0) : t.in(next++);
  if (p.right_triangle) std::swap(tensors.flat[0], tensors.flat[1]);
  if (p.epilogue.beta != 0) tensors.before = t.in(next++);
  if (p.biased) tensors.bias = t.in(next++).reshape({p.planes(), p.n});
  (p.epilogue.sums == product_sums::none ? tensors.flat[2] : tensors.sums) = t.out(0);
  run_products(nc, p.step(), d.how, tensors);
}

// The parts of a product that dry runs may time: at least two blocks of rows (or products of a
// batch), and so many instructions that filling the pipeline is a small share.
kernels::repetition repetition_of(const char* name, const product_design& design,
                                  const machine_spec& machine) {
  constexpr std::int64_t blocks_min = 2;
  constexpr double effort_min = 1000;
  const matrix_product& p = design.product;
  const bool in_batch = p.batches() > 1;
  const std::int64_t all = in_batch ? p.batches() : p.m;
  std::int64_t step = all;  // rows, or products, of a block
  for (const block_loop& l : design.how.loops)
    if (l.axis == counted_axis) step = std::min(all, l.block * l.unit);
  const contraction_step loops = p.step();
  const double effort =
      effort_of(loops, design.how) * blocks_of(design.how.loops) / double(ceil_div(all, step));
  const auto enough = std::int64_t(effort_min / effort) + 1;
  return {.unit = in_batch ? "products" : "rows",
          .count = all,
          .least = step * std::max(blocks_min, enough),
          .part = [name, design, machine](std::int64_t count) {
            const product_design part = design.of_count(count);
            return designed(operands_of(name, part, machine), part, machine, run_design);
          }};
}

// Whether matrix_product::expected_error holds for the result: where no sums are made, the function
// keeps relative errors, and all results have the same number of terms.
bool has_stated_error(const matrix_product& p) {
  using enum activation_function;
  const product_epilogue& e = p.epilogue;
  const auto cuts = [](const std::optional<operand_triangle>& t) { return t && !t->is_mirrored; };
  return !cuts(p.left_triangle) && !cuts(p.right_triangle) && e.sums == product_sums::none &&
         (e.function == copy || e.function == relu || e.function == abs);
}

// A line on the epilogue; empty where there is none.
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

const char* name_of(kernels::triangle part) {
  return part == kernels::triangle::lower ? "lower" : "upper";
}

// A line on the triangle of an operand, or on that of the result, stored in blocks of `block_rows` rows.
std::string triangle_text(const matrix_product& p, std::int64_t block_rows) {
  if (const auto& of = p.left_triangle ? p.left_triangle : p.right_triangle)
    return of->is_mirrored
               ? message("A of order ", p.k, " read from its ", name_of(of->part), " triangle\n")
               : "products with what is of the triangle alone\n";
  if (!p.part) return {};
  const triangle_layout lies(*p.part, p.n, block_rows);
  const std::int64_t blocks = lies.rows_of_blocks();
  return message("the ", name_of(*p.part), " triangle, ", blocks * (blocks + 1) / 2, " of ",
                 blocks * blocks, " blocks of ", block_rows, " x ", block_rows, ", ",
                 lies.elements(), " elements\n");
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

void require_free_of(isa_rule rule, const char* name, const char* what,
                     const machine_spec& machine) {
  require(!has_rule(machine, rule), name, ": ", what, " need NeuronCore-v4 or newer, ",
          machine.name, " has ", machine.core, " (", row_of(rule).source, ")");
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

std::string product_design::describe() const {
  const std::string steps = how.describe(product.step());
  if (product.form != product_form::real)
    return message(product.products(), " real products for each of numbers; ", steps);
  return epilogue_text(product) + triangle_text(product, how.m.chunk) + steps;
}

product_design product_design::of_count(std::int64_t count) const {
  product_design other = *this;
  if (product.part || product.has_triangle()) return other;
  if (product.batches() == 1)
    other.product.m = count;
  else
    for (std::int64_t* const batch : {&other.product.batch_a, &other.product.batch_b})
      if (*batch > 1) *batch = count;
  const std::int64_t before = product.batches() == 1 ? product.m : product.batches();
  for (block_loop& l : other.how.loops)
    if (l.axis == counted_axis) l.units = ceil_div(count, l.unit);
  product_step_design& how = other.how;
  for (axis_partitions* const partitions :
       {&how.m, &how.n, &how.stationary.raw, &how.moving.raw})  // whole on partitions
    if (is_among(partitions->whole, counted_axis))
      partitions->inner = partitions->inner / before * count;
  return other;
}

sized_kernel product_kernel(const char* name, product_design design, const machine_spec& machine) {
  if (design.product.type == dtype::fp8_e4m3fn)
    require_free_of(isa_rule::ocp_fp8_products, name, "operands of fp8_e4m3fn", machine);
  sized_kernel operands = operands_of(name, design, machine);
  require_bytes(operands);  // checked before dry runs, which compute with these sizes
  product_choice choice = choose_product(name, design.product.step(), machine);
  design.how = std::move(choice.design);
  operands.chosen_as = std::move(choice.chosen_as);
  operands.compared = std::move(choice.compared);
  sized_kernel sized = designed(std::move(operands), design, machine, run_design);
  if (has_stated_error(design.product))
    sized.expected_error = design.product.expected_error(machine);
  if (!design.product.part && !design.product.has_triangle())
    sized.repeats = repetition_of(name, design, machine);
  return sized;
}

}  // namespace papilio::kernels_detail
