// Products that others measured alone on the device: those of NKIBench, and the six steps of
// autocomp's search.
//   identity   C = A B, or A^T B
//   layout     A^T [128 k, 128 m] stationary, B [128 k, 512 n] moving, C [128 m, 512 n] in PSUM, in
//              the order of the sources' loops
#include <algorithm>
#include <array>
#include <vector>

#include "kernels/ceil_div.hpp"
#include "kernels/checks.hpp"
#include "kernels/design.hpp"
#include "kernels/parameters.hpp"
#include "kernels/published/designs.hpp"
#include "kernels/published/entries.hpp"
#include "kernels/published/nki_kernels.hpp"
#include "kernels/tiles.hpp"

namespace papilio::kernels::published {

using namespace engine;
using kernels_detail::block_of;
using kernels_detail::ceil_div;
using kernels_detail::checked_size;
using kernels_detail::loops_kernel;
using kernels_detail::require_multiple;

namespace {

constexpr int tile_rows = 128;
constexpr std::int64_t columns = 512, block = 1024;  // of C

void load(core& nc, const tile_view& to, const hbm_view& from) {
  nc.issue(dma_copy{.out = to, .in = from});
}

// Sums over k in one bank, and its copy by the scalar engine.
void sum_tiles(core& nc, const tile_view& bank, const std::vector<tile_view>& stationary,
               const std::vector<tile_view>& moving) {
  for (std::size_t k = 0; k < stationary.size(); ++k)
    nc.issue(engine::matmul{
        .out = bank, .stationary = stationary[k], .moving = moving[k], .accumulate = k > 0});
}

void copy_out(core& nc, const tile_view& to, const tile_view& bank) {
  nc.issue(activation{.out = to, .in = bank});
}

void run_transposed_product(core& nc, const kernel_arguments& t) {
  const hbm_view &a = t.in(0), &b = t.in(1), &c = t.out(0);
  const std::int64_t n = b.extent(1);
  const int depth = int(a.extent(0) / tile_rows);
  tile_pool left = nc.sbuf_pool(depth, tile_rows, block),
            right = nc.sbuf_pool(depth * 7 / 4, tile_rows, block),
            results = nc.sbuf_pool(3, tile_rows, block),
            banks = nc.psum_pool(4, tile_rows, columns);
  for (std::int64_t i = 0; i < a.extent(1); i += block) {
    std::vector<tile_view> rows;
    for (int k = 0; k < depth; ++k) {
      rows.push_back(left.next());
      load(nc, rows.back(), block_of(a, k * tile_rows, tile_rows, i, block));
    }
    for (std::int64_t j = 0; j < n; j += block) {
      const std::int64_t width = std::min(block, n - j),
                         padded = ceil_div(width, columns) * columns;
      std::vector<tile_view> streamed;
      for (int k = 0; k < depth; ++k) {
        streamed.push_back(right.next());
        load(nc, streamed.back().columns(0, width),
             block_of(b, k * tile_rows, tile_rows, j, width));
        if (padded > width)
          nc.issue(
              memset{.out = streamed.back().columns(width, padded - width), .on = unit::gpsimd});
      }
      for (std::int64_t m = 0; m < block; m += tile_rows) {
        const tile_view result = results.next();
        for (std::int64_t h = 0; h < padded; h += columns) {
          std::vector<tile_view> stationary, moving;
          for (int k = 0; k < depth; ++k) {
            stationary.push_back(rows[std::size_t(k)].columns(m, tile_rows));
            moving.push_back(streamed[std::size_t(k)].columns(h, columns));
          }
          const tile_view bank = banks.next();
          sum_tiles(nc, bank, stationary, moving);
          copy_out(nc, result.columns(h, columns), bank);
        }
        nc.issue(dma_copy{.out = block_of(c, i + m, tile_rows, j, width),
                          .in = result.columns(0, width)});
      }
    }
  }
}

/// Transposes a tile of rows into columns of another by way of PSUM.
void transpose_into(core& nc, tile_pool& banks, const tile_view& to, const tile_view& rows) {
  const tile_view bank = banks.next();
  nc.issue(transpose{.out = bank, .in = rows});
  copy_out(nc, to, bank);
}

void run_batched_product(core& nc, const kernel_arguments& t) {
  const hbm_view &a = t.in(0), &b = t.in(1), &c = t.out(0);
  const std::int64_t m = a.extent(1), n = b.extent(2);
  const int k = int(a.extent(2));
  const tile identity = nc.sbuf(tile_rows, tile_rows);
  load(nc, identity, t.in(2));
  tile_pool right = nc.sbuf_pool(2, k, block), rows = nc.sbuf_pool(4, tile_rows, k),
            left = nc.sbuf_pool(2, k, m), results = nc.sbuf_pool(4, tile_rows, block),
            transposes = nc.psum_pool(2, k, tile_rows), banks = nc.psum_pool(4, tile_rows, columns);
  const auto slice = [](const hbm_view& v, std::int64_t s) {
    return v.slice(0, s, 1).reshape({v.extent(1), v.extent(2)});
  };
  for (std::int64_t s = 0; s < a.extent(0); ++s) {
    const tile_view transposed = left.next();
    for (std::int64_t j = 0; j < n; j += block) {
      const tile_view streamed = right.next();
      load(nc, streamed, slice(b, s).slice(1, j, block));
      for (std::int64_t i = 0; i < m; i += block) {
        for (std::int64_t r = i; j == 0 && r < i + block; r += tile_rows) {
          const tile_view some = rows.next();
          load(nc, some, slice(a, s).slice(0, r, tile_rows));
          transpose_into(nc, transposes, transposed.columns(r, tile_rows), some);
        }
        for (std::int64_t r = i; r < i + block; r += tile_rows) {
          const tile_view result = results.next();
          for (std::int64_t h = 0; h < block; h += columns) {
            const tile_view bank = banks.next();
            sum_tiles(nc, bank, {transposed.columns(r, tile_rows)}, {streamed.columns(h, columns)});
            copy_out(nc, result.columns(h, columns), bank);
          }
          nc.issue(dma_copy{.out = block_of(slice(c, s), r, tile_rows, j, block), .in = result});
        }
      }
    }
  }
}

/// 1024 rows of x after the other.
class rmsnorm_product {
 public:
  rmsnorm_product(core& nc, const kernel_arguments& t)
      : nc_(nc),
        x_(t.in(0)),
        w_(t.in(1)),
        c_(t.out(0)),
        k_(x_.extent(1)),
        n_(w_.extent(1)),
        rows_(nc.sbuf_pool(2, tile_rows, k_)),
        scaled_(nc.sbuf_pool(2, tile_rows, columns)),
        squares_(nc.sbuf_pool(2, tile_rows, columns)),
        parts_(nc.sbuf_pool(4, tile_rows, 1)),
        transposes_(nc.sbuf_pool(2 * int(block / tile_rows), tile_rows, k_)),
        results_(nc.sbuf_pool(4, tile_rows, block)),
        small_(nc.psum_pool(3, tile_rows, tile_rows)),
        banks_(nc.psum_pool(4, tile_rows, columns)) {
    identity_ = nc.sbuf(tile_rows, tile_rows);
    load(nc, identity_, t.in(2));
    for (std::int64_t k = 0; k < k_; k += tile_rows) w_tiles_.push_back(nc.sbuf(tile_rows, n_));
  }

  void rows(std::int64_t from) {
    std::vector<tile_view> transposes;
    for (std::int64_t i = from; i < from + block; i += tile_rows)
      transposes.push_back(normalized(i));
    if (from == 0)
      for (std::int64_t j = 0; j < n_; j += block)
        for (std::size_t k = 0; k < w_tiles_.size(); ++k)
          load(nc_, w_tiles_[k]->columns(j, block),
               block_of(w_, std::int64_t(k) * tile_rows, tile_rows, j, block));
    for (std::int64_t j = 0; j < n_; j += block)
      for (std::int64_t i = 0; i < block; i += tile_rows) {
        const tile_view result = results_.next();
        for (std::int64_t h = 0; h < block; h += columns) {
          const tile_view bank = banks_.next();
          for (std::size_t k = 0; k < w_tiles_.size(); ++k)
            nc_.issue(engine::matmul{.out = bank,
                                     .stationary = transposes[std::size_t(i / tile_rows)].columns(
                                         std::int64_t(k) * tile_rows, tile_rows),
                                     .moving = w_tiles_[k]->columns(j + h, columns),
                                     .accumulate = k > 0});
          copy_out(nc_, result.columns(h, columns), bank);
        }
        nc_.issue(dma_copy{.out = block_of(c_, from + i, tile_rows, j, block), .in = result});
      }
  }

 private:
  /// 128 rows over their root of the mean square, k on partitions.
  tile_view normalized(std::int64_t i) {
    const tile_view x = rows_.next(), transposes = transposes_.next();
    load(nc_, x, x_.slice(0, i, tile_rows));
    tile_view sum = {};
    for (std::int64_t h = 0; h < k_; h += columns) {
      const tile_view square = squares_.next(), mean = squares_.next(), part = parts_.next();
      nc_.issue(activation{
          .out = square, .in = x.columns(h, columns), .function = activation_function::square});
      nc_.issue(activation{.out = mean, .in = square, .scale = 1 / float(k_)});
      nc_.issue(tensor_reduce{.out = part, .in = mean, .op = alu_op::add});
      if (h > 0)
        nc_.issue(tensor_tensor{.out = part, .left = sum, .right = part, .op = alu_op::add});
      sum = part;
    }
    const tile_view scale = parts_.next();
    nc_.issue(activation{.out = scale, .in = sum, .function = activation_function::rsqrt});
    for (std::int64_t h = 0; h < k_; h += columns) {
      const tile_view scaled = scaled_.next();
      nc_.issue(activation{.out = scaled, .in = x.columns(h, columns), .scale_tile = scale});
      for (std::int64_t k = 0; k < columns; k += tile_rows)
        transpose_into(nc_, small_, transposes.columns(h + k, tile_rows),
                       scaled.columns(k, tile_rows));
    }
    return transposes;
  }

  core& nc_;
  hbm_view x_, w_, c_;
  std::int64_t k_, n_;
  tile_pool rows_, scaled_, squares_, parts_, transposes_, results_, small_, banks_;
  tile identity_;
  std::vector<tile> w_tiles_;
};

// Tiles of C that share a pass over k, and of A and of B that share a load.
struct ladder_form {
  int rows, columns, loaded_rows, loaded_columns;
};
constexpr std::array<ladder_form, 6> ladder_forms{
    {{1, 1, 1, 1}, {1, 2, 1, 1}, {2, 2, 1, 1}, {4, 2, 1, 1}, {4, 2, 2, 1}, {4, 2, 4, 2}}};

void run_ladder(core& nc, const kernel_arguments& t, const ladder_form& form) {
  const hbm_view &a = t.in(0), &b = t.in(1), &c = t.out(0);
  const auto [gm, gn, fm, fn] = form;
  constexpr int ahead = 8;
  tile_pool left = nc.sbuf_pool(ahead * gm / fm, tile_rows, tile_rows * fm, dtype::bf16),
            right = nc.sbuf_pool(ahead * gn / fn, tile_rows, columns * fn, dtype::bf16),
            results = nc.sbuf_pool(8, tile_rows, columns, dtype::bf16),
            banks = nc.psum_pool(8, tile_rows, columns);
  for (std::int64_t i = 0; i < a.extent(1); i += tile_rows * gm)
    for (std::int64_t j = 0; j < b.extent(1); j += columns * gn) {
      std::vector<tile_view> sums;
      for (int s = 0; s < gm * gn; ++s) sums.push_back(banks.next());
      for (std::int64_t k = 0; k < a.extent(0); k += tile_rows) {
        std::vector<tile_view> rows, streamed;
        for (int h = 0; h < gn; h += fn) {
          streamed.push_back(right.next());
          load(nc, streamed.back(), block_of(b, k, tile_rows, j + h * columns, columns * fn));
        }
        for (int m = 0; m < gm; m += fm) {
          rows.push_back(left.next());
          load(nc, rows.back(), block_of(a, k, tile_rows, i + m * tile_rows, tile_rows * fm));
        }
        for (int m = 0; m < gm; ++m)
          for (int h = 0; h < gn; ++h)
            nc.issue(engine::matmul{
                .out = sums[std::size_t(m * gn + h)],
                .stationary = rows[std::size_t(m / fm)].columns(m % fm * tile_rows, tile_rows),
                .moving = streamed[std::size_t(h / fn)].columns(h % fn * columns, columns),
                .accumulate = k > 0});
      }
      for (int m = 0; m < gm; ++m)
        for (int h = 0; h < gn; ++h) {
          const tile_view result = results.next();
          nc.issue(tensor_copy{.out = result, .in = sums[std::size_t(m * gn + h)]});
          nc.issue(
              dma_copy{.out = block_of(c, i + m * tile_rows, tile_rows, j + h * columns, columns),
                       .in = result});
        }
    }
}

struct product_extents {
  std::int64_t batch, m, k, n;
};
product_extents extents_of(const char* name, const gemm_problem& p) {
  return {checked_size(name, "batch", p.batch), checked_size(name, "m", p.m),
          checked_size(name, "k", p.k), checked_size(name, "n", p.n)};
}

}  // namespace

sized_kernel transposed_product_kernel(const gemm_problem& problem, const machine_spec&) {
  const char* const name = "published/transposed_product";
  const auto [batch, m, k, n] = extents_of(name, problem);
  require_multiple(name, "m", m, block);
  require_multiple(name, "k", k, tile_rows);
  return loops_kernel({.name = name, .words = "1024 x 1024 of C at a time\n"}, {{{k, m}}, {{k, n}}},
                      {{m, n}}, run_transposed_product);
}

sized_kernel batched_product_kernel(const gemm_problem& problem, const machine_spec&) {
  const char* const name = "published/batched_product";
  const auto [batch, m, k, n] = extents_of(name, problem);
  require_multiple(name, "m", m, block);
  require_multiple(name, "n", n, block);
  kernels_detail::require(k <= tile_rows, name, ": k must be at most ", tile_rows, ", got ", k);
  return loops_kernel({.name = name, .words = "A transposed once, 1024 x 1024 of C at a time\n"},
                      {{{batch, m, k}}, {{batch, k, n}}, {{tile_rows, tile_rows}}}, {{batch, m, n}},
                      run_batched_product);
}

sized_kernel rmsnorm_product_kernel(const gemm_problem& problem, const machine_spec&) {
  const char* const name = "published/rmsnorm_product";
  const auto [batch, m, k, n] = extents_of(name, problem);
  require_multiple(name, "m", m, block);
  require_multiple(name, "n", n, block);
  require_multiple(name, "k", k, columns);
  return loops_kernel({.name = name, .words = "1024 rows at a time, W on chip\n"},
                      {{{m, k}}, {{k, n}}, {{tile_rows, tile_rows}}}, {{m, n}},
                      [](core& nc, const kernel_arguments& t) {
                        rmsnorm_product kernel(nc, t);
                        for (std::int64_t i = 0; i < t.in(0).extent(0); i += block) kernel.rows(i);
                      });
}

sized_kernel ladder_kernel(int step, const gemm_problem& problem, const machine_spec&) {
  const char* const name = "published/ladder";
  const int last = int(ladder_forms.size()) - 1;
  kernels_detail::require(step >= 0 && step <= last, name, ": step must be 0 ... ", last, ", got ",
                          step);
  const auto [batch, m, k, n] = extents_of(name, problem);
  require_multiple(name, "m", m, 4 * tile_rows);
  require_multiple(name, "n", n, 2 * columns);
  require_multiple(name, "k", k, tile_rows);
  const ladder_form form = ladder_forms[std::size_t(step)];
  return loops_kernel(
      {.name = name,
       .form = step,
       .words = base_detail::message(form.rows, " x ", form.columns,
                                     " tiles of C share a pass over k; loads of ", form.loaded_rows,
                                     " of A and ", form.loaded_columns, " of B\n")},
      {{{k, m}, dtype::bf16}, {{k, n}, dtype::bf16}}, {{m, n}, dtype::bf16},
      [form](core& nc, const kernel_arguments& t) { run_ladder(nc, t, form); });
}

}  // namespace papilio::kernels::published

namespace papilio::kernels_detail {

namespace {

settings<gemm_problem> sizes_of(const char* m, const char* k, const char* n) {
  return {number_setting("m", &gemm_problem::m, m, "Rows of C"),
          number_setting("k", &gemm_problem::k, k, "Terms of a sum"),
          number_setting("n", &gemm_problem::n, n, "Columns of C")};
}

struct ladder_request : gemm_problem {
  int step = 0;
};

}  // namespace

kernels::catalog_entry published_transposed_product_entry() {
  return sizes_of("4096", "2048", "10944")
      .entry("published/transposed_product", "NKIBench's product of a transposed matrix, fp32",
             kernels::published::transposed_product_kernel);
}

kernels::catalog_entry published_batched_product_entry() {
  return settings<gemm_problem>{number_setting("batch", &gemm_problem::batch, "16", "Products")}
      .with(sizes_of("4096", "64", "4096"))
      .entry("published/batched_product", "NKIBench's batch of products, fp32",
             kernels::published::batched_product_kernel);
}

kernels::catalog_entry published_rmsnorm_product_entry() {
  return sizes_of("4096", "1024", "2048")
      .entry("published/rmsnorm_product",
             "NKIBench's product of rows over their root mean square, fp32",
             kernels::published::rmsnorm_product_kernel);
}

kernels::catalog_entry published_ladder_entry() {
  using r = ladder_request;
  return settings<r>{number_setting("step", &r::step, "0", "0 to 5", 0)}
      .with(sizes_of("4096", "8192", "8192"))
      .entry("published/ladder", "a step of autocomp's search for a product in bf16",
             [](const r& of, const engine::machine_spec& machine) {
               return kernels::published::ladder_kernel(of.step, of, machine);
             });
}

}  // namespace papilio::kernels_detail
