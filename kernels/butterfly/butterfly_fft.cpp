// FFT by butterflies: the kernel, and the compensated mode of fft_kernel.
#include "kernels/butterfly/butterfly.hpp"
#include "kernels/checks.hpp"
#include "kernels/designed_kernel.hpp"
#include "kernels/entries.hpp"
#include "kernels/transform/precision.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using namespace kernels_detail;

constexpr const char* butterfly_fft_name = "butterfly_fft";

}  // namespace

sized_kernel butterfly_fft_kernel(const fft_problem& problem, const machine_spec& machine,
                                  const fft_kernel_options& options) {
  const fft_lines lines = checked_lines(butterfly_fft_name, problem, options);
  const bool compensated = options.precision.mode == precision::compensated;
  require(compensated || options.precision.mode == precision::native, butterfly_fft_name,
          ": precision must be native or compensated");
  require(options.precision.target_error == 0, butterfly_fft_name,
          ": precision.target_error must be 0, got ", options.precision.target_error);
  const std::int64_t too_large = prime_beyond_butterflies(lines.n);
  require(too_large == 0, butterfly_fft_name, ": n must have prime factors up to 31, got ", lines.n,
          " with ", too_large);
  const double scale = scale_of(problem, options);
  const butterfly_design design =
      design_butterfly(lines, problem.is_inverse(), compensated, float(scale), machine);
  require<resource_error>(design.depth > 0, butterfly_fft_name, ": n = ", lines.n,
                          compensated ? ", compensated," : "", " does not fit into ",
                          machine.sbuf.bytes_per_partition, " bytes of a partition");
  sized_kernel sized = empty_fft(problem);
  sized.program.name = butterfly_fft_name;
  sized.expected_error = butterfly_error(design, scale);
  if (design.table_size > 0) {
    constant_table& table = sized.tables.emplace_back();
    table.name = "twiddle factors";
    table.shape = {{design.table_size}, dtype::fp32};
    table.fill = [design](std::span<float> out) { fill_butterfly_table(design, out); };
  }
  return designed(std::move(sized), design, machine,
                  [](core& nc, const butterfly_design& d, const kernel_arguments& t) {
                    const auto as_lines = [&](const hbm_view& v) {
                      return v.reshape({2, d.batch, d.n});
                    };
                    nc.state_floor(double(t.in(0).elements() + t.out(0).elements()) * 4, 0);
                    run_butterfly(nc, d, as_lines(t.in(0)), as_lines(t.out(0)),
                                  d.table_size > 0 ? t.in(1) : hbm_view{});
                  });
}

bool butterfly_fft_fits(std::int64_t n, const machine_spec& machine, bool compensated) {
  return n >= 1 && n <= machine.sbuf.bytes_per_partition && prime_beyond_butterflies(n) == 0 &&
         design_butterfly({.n = n}, false, compensated, 1, machine).depth > 0;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

using base_detail::message;

std::string butterfly_design::describe() const {
  std::string text = stages.empty() ? "no passes" : "passes of radix";
  for (const butterfly_stage& stage : stages) text += message(' ', stage.radix);
  text += message("; ", items, " items on each of ", partitions, " partitions\n");
  if (table_size > 0) text += message("twiddle factors: ", table_size, " fp32, passing by\n");
  if (compensated) text += "compensated: two-products and two-sums, one rounding at the end\n";
  return text;
}

butterfly_design butterfly_design::without_batch() const {
  butterfly_design one = *this;
  one.batch = 0;
  return one;
}

kernels::sized_kernel compensated_fft(const fft_problem& problem,
                                      const kernels::fft_kernel_options& options,
                                      const engine::machine_spec& machine) {
  constexpr const char* mode = "fft_kernel: precision.mode compensated ";
  require(problem.is_complex(), mode,
          "transforms complex numbers: what makes real lines of them rounds as native does");
  const fft_lines lines = lines_of(problem);
  require(lines.only, mode, "transforms the last axis and no other");
  const std::int64_t too_large = prime_beyond_butterflies(lines.n);
  require(too_large == 0, mode, "needs prime factors of up to 31, got ", lines.n, " with ",
          too_large);
  require(kernels::butterfly_fft_fits(lines.n, machine, true), mode,
          "needs lines that fit SBUF four times, got ", lines.n, " points");
  kernels::sized_kernel sized = kernels::butterfly_fft_kernel(problem, machine, options);
  sized.program.name = "fft";
  sized.design =
      design_of(fft_design{.mode = precision::compensated, .forward = std::move(sized.design)});
  sized.program.parameters = sized.design.key();
  return sized;
}

kernels::catalog_entry butterfly_fft_entry() {
  using r = line_request;
  return settings<r>{number_setting("batch", &r::batch, "128", "Transforms"),
                     number_setting("n", &r::n, "1024", "Points; primes up to 31"),
                     choice_setting("compensated", &r::mode, "Two-products and two-sums",
                                    {{"no", precision::native}, {"yes", precision::compensated}}),
                     direction_setting(&r::dir, "Sign of the exponent; inverse: scaled by 1/n")}
      .entry("butterfly_fft", "FFT of [2, batch, n] by butterflies on the vector engine",
             [](const r& request, const engine::machine_spec& machine) {
               fft_problem lines = request.lines();
               lines.norm = normalization::backward;
               return kernels::butterfly_fft_kernel(lines, machine, {.precision = request});
             });
}

}  // namespace papilio::kernels_detail
