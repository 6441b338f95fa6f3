// trnfft's complex GEMM, linear layer and mask: one launch each.
//   identity  C_re = A_re B_re + A_im (-B_im), C_im = A_re B_im + A_im B_re
//   layout    A stationary [128 k, 128 m] by a transposing load, B moving [128 k, 512 n], re and im
//             in a PSUM bank each; the linear layer's W^T by transposing loads too; the mask
//             [128, elements / 128], element by element
//   bound     GEMM: DMA and the tensor engine alike; linear: the vector engine's transposes; mask:
//             the vector engine, ten cycles an element
#include "kernels/published/published.hpp"

#include <algorithm>
#include <optional>

#include "base/roots_of_unity.hpp"
#include "kernels/ceil_div.hpp"
#include "kernels/checks.hpp"
#include "kernels/design.hpp"
#include "kernels/parameters.hpp"
#include "kernels/products/products.hpp"
#include "kernels/published/designs.hpp"
#include "kernels/published/entries.hpp"
#include "kernels/published/host_driver.hpp"
#include "kernels/tiles.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels::published {
namespace {

using namespace engine;
using namespace published_detail;
using base_detail::message;
using kernels_detail::require;

class product_kernel {
 public:
  product_kernel(core& nc, const kernel_arguments& t,
                 const kernels_detail::published_complex_product& product)
      : nc_(nc),
        product_(product),
        tile_rows_(kernels_detail::array_rows(nc.machine())),
        width_(std::min(kernels_detail::product_columns(nc.machine()), product.n)),
        depth_(std::min<std::int64_t>(tile_rows_, product.k)),
        height_(std::min<std::int64_t>(tile_rows_, product.m)),
        a_{t.in(0), t.in(1)},
        b_{t.in(2), t.in(3)},
        c_{t.out(0), t.out(1)},
        left_(nc, height_, depth_, product.type, 4),
        stationary_(nc.sbuf_pool(6, int(depth_), height_, product.type)),
        moving_(nc.sbuf_pool(6, int(depth_), width_, product.type)),
        negated_(nc.sbuf_pool(3, int(depth_), width_, product.type)),
        results_(nc.sbuf_pool(4, int(height_), width_)),
        banks_(nc.psum_pool(4, int(height_), width_)) {
    if (product.right_transposed)
      right_.emplace(nc, std::min(width_, tile_rows_), depth_, product.type, 4);
  }

  void run() {
    for (std::int64_t i = 0; i < product_.m; i += height_)
      for (std::int64_t j = 0; j < product_.n; j += width_)
        block(i, std::min(height_, product_.m - i), j, std::min(width_, product_.n - j));
  }

 private:
  void block(std::int64_t i, std::int64_t rows, std::int64_t j, std::int64_t columns) {
    const auto bank = [&] {
      return banks_.next().partition_range(0, int(rows)).columns(0, columns);
    };
    const tile_view re = bank(), im = bank();
    for (std::int64_t k = 0; k < product_.k; k += depth_) {
      const std::int64_t depth = std::min(depth_, product_.k - k);
      const tile_view a_re = left(a_.re, i, rows, k, depth), a_im = left(a_.im, i, rows, k, depth),
                      b_re = right(b_.re, j, columns, k, depth),
                      b_im = right(b_.im, j, columns, k, depth);
      const tile_view minus = negated_.next().partition_range(0, int(depth)).columns(0, columns);
      nc_.issue(tensor_scalar{.out = minus, .in = b_im, .op0 = alu_op::multiply, .operand0 = -1});
      multiply(re, a_re, b_re, k > 0);
      multiply(re, a_im, minus, true);
      multiply(im, a_re, b_im, k > 0);
      multiply(im, a_im, b_re, true);
    }
    store(c_.re.slice(0, i, rows).slice(1, j, columns), re);
    store(c_.im.slice(0, i, rows).slice(1, j, columns), im);
  }

  tile_view left(const hbm_view& from, std::int64_t i, std::int64_t rows, std::int64_t k,
                 std::int64_t depth) {
    const tile_view to = stationary_.next().partition_range(0, int(depth)).columns(0, rows);
    left_.load(to, from.slice(0, i, rows).slice(1, k, depth));
    return to;
  }
  tile_view right(const hbm_view& from, std::int64_t j, std::int64_t columns, std::int64_t k,
                  std::int64_t depth) {
    const tile_view to = moving_.next().partition_range(0, int(depth)).columns(0, columns);
    if (product_.right_transposed) {
      for (std::int64_t x = 0; x < columns; x += tile_rows_) {
        const std::int64_t count = std::min<std::int64_t>(tile_rows_, columns - x);
        right_->load(to.columns(x, count), from.slice(0, j + x, count).slice(1, k, depth));
      }
    } else {
      nc_.issue(dma_copy{.out = to, .in = from.slice(0, k, depth).slice(1, j, columns)});
    }
    return to;
  }
  void multiply(const tile_view& out, const tile_view& a, const tile_view& b, bool accumulate) {
    nc_.issue(engine::matmul{.out = out, .stationary = a, .moving = b, .accumulate = accumulate});
  }
  void store(const hbm_view& to, const tile_view& bank) {
    const tile_view result =
        results_.next().partition_range(0, bank.partitions()).columns(0, bank.elements());
    evacuate(nc_, result, bank);
    nc_.issue(dma_copy{.out = to, .in = result});
  }

  core& nc_;
  kernels_detail::published_complex_product product_;
  std::int64_t tile_rows_, width_, depth_, height_;
  complex_views a_, b_, c_;
  transposing_loader left_;
  std::optional<transposing_loader> right_;
  tile_pool stationary_, moving_, negated_, results_, banks_;
};

sized_kernel product(const char* name, const gemm_problem& problem, dtype type,
                     bool right_transposed, const machine_spec& machine) {
  const kernels_detail::matrix_product sizes =
      kernels_detail::checked_product(name, problem, type, dtype::fp32);
  kernels_detail::require_one_product(name, problem);
  kernels_detail::require_complex(name, problem);
  require(type == dtype::fp32 || type == dtype::bf16, name, ": type must be fp32 or bf16, got ",
          to_string(type));
  const kernels_detail::published_complex_product p{.m = sizes.m,
                                                    .k = sizes.k,
                                                    .n = sizes.n,
                                                    .type = type,
                                                    .right_transposed = right_transposed,
                                                    .tile_rows = machine.tensor.rows,
                                                    .columns = machine.tensor.moving_columns_max};
  const kernel_design design = kernels_detail::design_of(p);
  const tensor_shape a{{p.m, p.k}, type},
      b = right_transposed ? tensor_shape{{p.n, p.k}, type} : tensor_shape{{p.k, p.n}, type},
      c{{p.m, p.n}};
  return {.program = {.name = name,
                      .parameters = design.key(),
                      .body = [p](core& nc,
                                  const kernel_arguments& t) { product_kernel(nc, t, p).run(); }},
          .inputs = {a, a, b, b},
          .outputs = {c, c},
          .ranges = {{}, {}, {}, {}},
          .design = design};
}

planes plane_values(view<const float, 3> from) {
  return filled(std::int64_t(from.extent(1)), std::int64_t(from.extent(2)),
                [&](std::int64_t i, std::int64_t j) {
                  return std::pair{from(0, std::size_t(i), std::size_t(j)),
                                   from(1, std::size_t(i), std::size_t(j))};
                });
}

std::string extents_text(view<const float, 3> v) {
  return message("[", v.extent(0), ", ", v.extent(1), ", ", v.extent(2), "]");
}

using maker = std::function<planes()>;

// Four uploads, a launch, two fetches.
std::optional<planes> run_product(host_driver& host, const sized_kernel& what, const maker& left,
                                  const maker& right) {
  const auto upload = [&](const tensor_shape& shape, const maker& make) {
    return host.upload(shape.extents[0], shape.extents[1], make, shape.type);
  };
  const buffers a = upload(what.inputs[0], left), b = upload(what.inputs[2], right);
  return host.launch_and_fetch(what, {a, b});
}

published_run dry_product(device& on, const sized_kernel& what) {
  host_driver host(on, run_mode::dry_run);
  run_product(host, what, {}, {});
  return host.result();
}

published_run product_of(device& on, const sized_kernel& what, view<const float, 3> a,
                         view<const float, 3> b, view<float, 3> c, float scale = 1) {
  host_driver host(on, run_mode::execute);
  write_lines(*run_product(
                  host, what, [&] { return plane_values(a); }, [&] { return plane_values(b); }),
              c, scale);
  return host.result();
}

planes dft_matrix(std::int64_t n, bool inverse) {
  const base_detail::roots_of_unity<float> roots{std::size_t(n)};
  return filled(n, n, [&](std::int64_t j, std::int64_t k) {
    const auto w = roots(std::size_t(j) * std::size_t(k) % std::size_t(n));
    return std::pair{w.real(), inverse ? -w.imag() : w.imag()};
  });
}

}  // namespace

sized_kernel complex_gemm_kernel(const gemm_problem& problem, const machine_spec& machine,
                                 dtype type) {
  return product("published/complex_gemm", problem, type, false, machine);
}

sized_kernel complex_linear_kernel(const gemm_problem& problem, const machine_spec& machine) {
  return product("published/complex_linear", problem, dtype::fp32, true, machine);
}

sized_kernel complex_mask_kernel(const product_problem& problem, const machine_spec& machine) {
  constexpr const char* name = "published/complex_mask";
  const std::int64_t elements = kernels_detail::checked_size(name, "count", problem.count);
  require(problem.factors.empty(), name, ": the published kernel takes two operands, no factors");
  const std::int64_t partitions = machine.sbuf.partitions,
                     columns = kernels_detail::ceil_div(elements, partitions);
  const tensor_shape all{{partitions, columns}};
  return {
      .program =
          {.name = name,
           .body =
               [](core& nc, const kernel_arguments& t) {
                 multiply_complex(nc, {t.out(0), t.out(1)}, {t.in(0), t.in(1)}, {t.in(2), t.in(3)});
               }},
      .inputs = {all, all, all, all},
      .outputs = {all, all},
      .ranges = {{}, {}, {}, {}},
      .design = kernels_detail::design_of(kernels_detail::published_complex_mask{
          .elements = elements, .partitions = partitions, .columns = columns})};
}

published_run complex_gemm(device& on, view<const float, 3> a, view<const float, 3> b,
                           view<float, 3> c, dtype type) {
  if (a.extent(0) != 2 || b.extent(0) != 2 || c.extent(0) != 2 || a.extent(2) != b.extent(1) ||
      c.extent(1) != a.extent(1) || c.extent(2) != b.extent(2) || a.empty() || b.empty())
    throw shape_error(message("published::complex_gemm: c ", extents_text(c), " is not a ",
                              extents_text(a), " times b ", extents_text(b)));
  const gemm_problem problem{
      .m = a.extent(1), .k = a.extent(2), .n = b.extent(2), .is_complex = true};
  return product_of(on, complex_gemm_kernel(problem, on.machine(), type), a, b, c);
}

published_run complex_gemm(device& on, const gemm_problem& problem, dtype type) {
  return dry_product(on, complex_gemm_kernel(problem, on.machine(), type));
}

published_run complex_linear(device& on, view<const float, 3> x, view<const float, 3> w,
                             view<float, 3> y) {
  if (x.extent(0) != 2 || w.extent(0) != 2 || y.extent(0) != 2 || x.extent(2) != w.extent(2) ||
      y.extent(1) != x.extent(1) || y.extent(2) != w.extent(1) || x.empty() || w.empty())
    throw shape_error(message("published::complex_linear: y ", extents_text(y), " is not x ",
                              extents_text(x), " times the transpose of w ", extents_text(w)));
  const gemm_problem problem{
      .m = x.extent(1), .k = x.extent(2), .n = w.extent(1), .is_complex = true};
  return product_of(on, complex_linear_kernel(problem, on.machine()), x, w, y);
}

published_run complex_linear(device& on, const gemm_problem& problem) {
  return dry_product(on, complex_linear_kernel(problem, on.machine()));
}

published_run complex_mask_apply(device& on, view<const float, 3> mask,
                                 view<const float, 3> spectrum, view<float, 3> out) {
  if (mask.extents() != spectrum.extents() || mask.extents() != out.extents() ||
      mask.extent(0) != 2 || mask.empty())
    throw shape_error(message("published::complex_mask_apply: mask ", extents_text(mask),
                              ", spectrum ", extents_text(spectrum), " and out ", extents_text(out),
                              " must be [2, rows, columns] and equal"));
  const std::size_t width = mask.extent(2), elements = mask.extent(1) * width;
  const sized_kernel what = complex_mask_kernel({.count = elements}, on.machine());
  const std::int64_t partitions = what.inputs[0].extents[0], columns = what.inputs[0].extents[1];
  const auto laid_out = [&](view<const float, 3> from) {
    return filled(partitions, columns,
                  [&](std::int64_t i, std::int64_t j) -> std::pair<float, float> {
                    const auto at = std::size_t(i * columns + j);
                    if (at >= elements) return {0.0f, 0.0f};
                    return {from(0, at / width, at % width), from(1, at / width, at % width)};
                  });
  };
  host_driver host(on, run_mode::execute);
  const planes result = *run_product(
      host, what, [&] { return laid_out(mask); }, [&] { return laid_out(spectrum); });
  for (std::size_t at = 0; at < elements; ++at) {
    out(0, at / width, at % width) = result.re.data()[at];
    out(1, at / width, at % width) = result.im.data()[at];
  }
  return host.result();
}

published_run complex_mask_apply(device& on, const product_problem& problem) {
  return dry_product(on, complex_mask_kernel(problem, on.machine()));
}

namespace {

// Lines times the matrix of the transform.
sized_kernel dft_product(const fft_problem& lines, dtype type, const machine_spec& machine) {
  const std::size_t n = lines.extents[1];
  return complex_gemm_kernel({.m = lines.extents[0], .k = n, .n = n, .is_complex = true}, machine,
                             type);
}

}  // namespace

published_run dft_gemm(device& on, view<const float, 3> in, view<float, 3> out, direction dir,
                       dtype type) {
  const fft_problem lines = lines_of("published::dft_gemm", in, out, dir);
  const sized_kernel what = dft_product(lines, type, on.machine());
  host_driver host(on, run_mode::execute);
  write_lines(*run_product(
                  host, what, [&] { return plane_values(in); },
                  [&] { return dft_matrix(std::int64_t(lines.extents[1]), lines.is_inverse()); }),
              out, lines.is_inverse() ? 1 / float(lines.extents[1]) : 1.0f);
  return host.result();
}

published_run dft_gemm(device& on, const fft_problem& lines, dtype type) {
  require_lines("published::dft_gemm", lines);
  return dry_product(on, dft_product(lines, type, on.machine()));
}

}  // namespace papilio::kernels::published

namespace papilio::kernels_detail {

std::string published_complex_product::describe() const {
  const std::int64_t down = ceil_div(m, tile_rows), across = ceil_div(n, columns);
  return base_detail::message("four real products of ", down, " x ", across, " x ",
                              ceil_div(k, tile_rows), " tiles of ", tile_rows, " x ", columns,
                              " x ", tile_rows, "; A is loaded ", across, " times, B ", down,
                              " times\n");
}

std::string published_complex_mask::describe() const {
  return base_detail::message(elements, " products as ", partitions, " x ", columns, "\n");
}

namespace {

struct published_complex_request : gemm_problem {
  engine::dtype rounded_to = engine::dtype::fp32;
};

}  // namespace

kernels::catalog_entry published_complex_gemm_entry() {
  using r = published_complex_request;
  return settings<r>{}
      .with(product_sizes("1024"))
      .with({product_dtype_setting(&r::rounded_to, "Type of A and B; C is fp32",
                                   {engine::dtype::fp32, engine::dtype::bf16})})
      .entry("published/complex_gemm",
             "trnfft's complex GEMM, four products; with k = n a DFT of m lines",
             [](r request, const engine::machine_spec& machine) {
               request.is_complex = true;
               return kernels::published::complex_gemm_kernel(request, machine, request.rounded_to);
             });
}

kernels::catalog_entry published_complex_linear_entry() {
  using r = gemm_problem;
  return settings<r>{number_setting("batch", &r::m, "512", "Rows of X"),
                     number_setting("inputs", &r::k, "512", "Columns of X and W"),
                     number_setting("outputs", &r::n, "1024", "Rows of W")}
      .entry("published/complex_linear", "trnfft's complex linear layer, X W^T",
             [](r problem, const engine::machine_spec& machine) {
               problem.is_complex = true;
               return kernels::published::complex_linear_kernel(problem, machine);
             });
}

kernels::catalog_entry published_complex_mask_entry() {
  using r = product_problem;
  return settings<r>{number_setting("elements", &r::count, "524288", "Complex products")}.entry(
      "published/complex_mask", "trnfft's complex mask, element by element",
      kernels::published::complex_mask_kernel);
}

}  // namespace papilio::kernels_detail
