#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/published/published.hpp"
#include "papilio/engine/dtype.hpp"

// The designs of the published systems' kernels.
namespace papilio::kernels_detail {

/// A product on operands that the host pads: gemm, matmul, bmm and a slice of a batched GEMM.
struct published_product {
  std::int64_t batch = 1;
  std::array<std::int64_t, 3> given = {1, 1, 1}, padded = {1, 1, 1};  ///< m, k, n
  std::int64_t tile_rows = 1, columns = 1;                            ///< of tiles

  auto fields() const { return std::tie(batch, given, padded, tile_rows, columns); }
  std::string describe() const;
};

struct published_integrals {
  std::int64_t nbasis = 1, nocc = 1, nvir = 1, naux = 1;

  auto fields() const { return std::tie(nbasis, nocc, nvir, naux); }
  std::string describe() const {
    return "two products for each P, the first's result through HBM\n";
  }
};

/// complex_gemm and, with B transposed, complex_linear.
struct published_complex_product {
  std::int64_t m = 1, k = 1, n = 1;
  engine::dtype type = engine::dtype::fp32;
  bool right_transposed = false;
  std::int64_t tile_rows = 1, columns = 1;  ///< of tiles

  auto fields() const { return std::tie(m, k, n, type, right_transposed, tile_rows, columns); }
  std::string describe() const;
};

struct published_complex_mask {
  std::int64_t elements = 1, partitions = 1, columns = 1;

  auto fields() const { return std::tie(elements, partitions, columns); }
  std::string describe() const;
};

struct published_butterfly {
  kernels::published::butterfly_stage_problem of = {};

  auto fields() const { return std::tie(of.n, of.batch, of.stage, of.compensated); }
  std::string describe() const;
};

struct published_stockham {
  kernels::published::stockham_stage_problem of = {};

  auto fields() const { return std::tie(of.n, of.batch, of.radix, of.combined); }
  std::string describe() const;
};

struct published_fused_mp2 {
  std::int64_t nocc = 1, nvir = 1, naux = 1;
  kernels::published::mp2_partials partials = kernels::published::mp2_partials::of_pairs;
  std::int64_t tile_rows = 1;  ///< of tiles

  auto fields() const { return std::tie(nocc, nvir, naux, partials, tile_rows); }
  std::string describe() const;
};

/// A kernel whose sizes are those of its operands: its name, and which of several it is.
struct published_loops {
  std::string name = {};
  int form = 0;
  std::string words = {};  ///< a line of text

  auto fields() const { return std::tie(name, form, words); }
  std::string describe() const { return words; }
};

struct published_mp2_energy {
  std::int64_t ic = 1, nocc = 1, nvir = 1;
  std::int64_t strip = 1;  ///< rows of T at a time
  kernels::published::mp2_energy_options how = {};

  auto fields() const {
    return std::tie(ic, nocc, nvir, strip, how.hoist_denominator, how.pairs_per_store);
  }
  std::string describe() const;
};

/// The kernel of these loops, with operands in any range.
kernels::sized_kernel loops_kernel(
    published_loops how, std::vector<engine::tensor_shape> in, engine::tensor_shape out,
    std::function<void(engine::core&, const engine::kernel_arguments&)> body);
/// invalid_argument "NAME: OF must be a multiple of TILE, got VALUE".
void require_multiple(const char* name, const char* of, std::int64_t value, std::int64_t tile);

}  // namespace papilio::kernels_detail
