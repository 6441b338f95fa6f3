// trntensor's integral transform: two products for each auxiliary function, one after the other.
//   identity   B_P = (C_occ^t eri_P) C_vir
//   layout     tile_products.cpp's: C_occ [128 mu, i] and M^t [128 nu, i] stationary, 512 columns
//   bound      DMA: eri once for every 128 i, M [nocc, nbasis] to HBM and back for each P
#include "kernels/parameters.hpp"
#include "kernels/published/published.hpp"

#include "kernels/checks.hpp"
#include "kernels/design.hpp"
#include "kernels/published/designs.hpp"
#include "kernels/published/entries.hpp"
#include "kernels/published/tile_products.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels::published {

using namespace engine;

void ao_to_mo(core& nc, const hbm_view& out, const hbm_view& eri, const hbm_view& c_occ,
              const hbm_view& c_vir) {
  if (out.rank() != 3 || eri.rank() != 3 || c_occ.rank() != 2 || c_vir.rank() != 2 ||
      eri.extent(1) != eri.extent(2) || c_occ.extent(0) != eri.extent(1) ||
      c_vir.extent(0) != eri.extent(1) || out.extent(0) != eri.extent(0) ||
      out.extent(1) != c_occ.extent(1) || out.extent(2) != c_vir.extent(1))
    throw shape_error(base_detail::message("ao_to_mo: eri ", eri.describe(), ", c_occ ",
                                           c_occ.describe(), ", c_vir ", c_vir.describe(), ", out ",
                                           out.describe(), " do not agree"));
  const std::int64_t naux = eri.extent(0);
  const hbm_view scratch = nc.hbm({naux, c_occ.extent(1), eri.extent(1)});
  const auto of = [](const hbm_view& v, std::int64_t p) {
    return v.slice(0, p, 1).reshape({v.extent(1), v.extent(2)});
  };
  kernels_detail::tile_products products(nc);
  const auto first = [&](std::int64_t p) {
    return kernels_detail::hbm_product{
        .c = of(scratch, p), .a = c_occ, .b = of(eri, p), .a_is_transposed = true};
  };
  const auto second = [&](std::int64_t p) {
    return kernels_detail::hbm_product{.c = of(out, p), .a = of(scratch, p), .b = c_vir};
  };
  // The second product of p needs the first one stored, which is issued two steps after its loads:
  // another product stands between, but for the case of one p.
  if (naux == 1) {
    products.run(1, first);
    return products.run(1, second);
  }
  products.run(2 * naux, [&](std::int64_t x) {
    if (x == 2 * naux - 1) return second(naux - 1);
    return x == 0 || x % 2 == 1 ? first((x + 1) / 2) : second(x / 2 - 1);
  });
}

sized_kernel ao_to_mo_kernel(const integral_transform_problem& problem, const machine_spec&) {
  const auto size = [](const char* argument, std::size_t value) {
    return kernels_detail::checked_size("ao_to_mo_kernel", argument, value);
  };
  const std::int64_t nbasis = size("nbasis", problem.nbasis), nocc = size("nocc", problem.nocc),
                     nvir = size("nvir", problem.nvir), naux = size("naux", problem.naux);
  if (problem.has_metric)
    throw invalid_argument("ao_to_mo_kernel: the published kernel takes no metric");
  return {.program = {.name = "published/ao_to_mo",
                      .body =
                          [](core& nc, const kernel_arguments& t) {
                            ao_to_mo(nc, t.out(0), t.in(0), t.in(1), t.in(2));
                          }},
          .inputs = {{{naux, nbasis, nbasis}, dtype::fp32},
                     {{nbasis, nocc}, dtype::fp32},
                     {{nbasis, nvir}, dtype::fp32}},
          .outputs = {{{naux, nocc, nvir}, dtype::fp32}},
          .ranges = {{}, {}, {}},
          .design = kernels_detail::design_of(kernels_detail::published_integrals{
              .nbasis = nbasis, .nocc = nocc, .nvir = nvir, .naux = naux})};
}

}  // namespace papilio::kernels::published

namespace papilio::kernels_detail {

kernels::catalog_entry published_ao_to_mo_entry() {
  using r = integral_transform_problem;
  return settings<r>{number_setting("nbasis", &r::nbasis, "32", "Basis functions mu, nu"),
                     number_setting("nocc", &r::nocc, "5", "Occupied orbitals"),
                     number_setting("nvir", &r::nvir, "10", "Virtual orbitals"),
                     number_setting("naux", &r::naux, "16", "Auxiliary functions P")}
      .entry("published/ao_to_mo",
             "trntensor's integral transform: two products for each P, through HBM",
             kernels::published::ao_to_mo_kernel);
}

}  // namespace papilio::kernels_detail
