// The published table, row by row: the published algorithm and papilio's own kernel for the same
// operation, both in dry runs.
#include "kernels/published/published_table.hpp"

#include <bit>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include "kernels/published/catalog.hpp"
#include "kernels/published/host_driver.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/elementwise.hpp"
#include "papilio/kernels/fft.hpp"
#include "papilio/kernels/gemm.hpp"
#include "papilio/kernels/mp2.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "papilio/kernels/stft.hpp"

namespace papilio::kernels::published {
namespace {

using namespace engine;
using base_detail::message;

void require_device(const char* function, const table_row& row) {
  if (row.where != row_place::device)
    throw invalid_argument(message(function, ": a row must be of the device, and \"",
                                   std::string(row.op), "\" with path \"", std::string(row.path),
                                   "\" is not"));
}

std::span<const std::int64_t> sizes_of(const table_row& row) {
  std::size_t count = 0;
  while (count < row.sizes.size() && row.sizes[count] > 0) ++count;
  return std::span(row.sizes).first(count);
}

/// A batch of radix-2 FFTs that the published host program calls for, so many times over.
struct fft_call {
  fft_problem lines;
  std::int64_t times = 1;
};

fft_problem lines_of(std::int64_t batch, std::int64_t n) {
  return {.type = real_type::single_precision,
          .extents = {std::size_t(batch), std::size_t(n)},
          .axes = {1}};
}

/// FFT calls of a row: a batch for each axis; three of a power of two for Bluestein's algorithm.
std::vector<fft_call> fft_calls(const table_row& row) {
  const auto sizes = sizes_of(row);
  switch (row.kind) {
    case row_kind::fft: {
      std::int64_t points = 1;
      for (const std::int64_t n : sizes) points *= n;
      std::vector<fft_call> calls;
      for (const std::int64_t n : sizes) calls.push_back({lines_of(points / n, n)});
      return calls;
    }
    case row_kind::batched_fft:
      return {{lines_of(sizes[0], sizes[1])}};
    case row_kind::bluestein:
      return {{lines_of(1, std::int64_t(std::bit_ceil(std::uint64_t(2 * sizes[0] - 1)))), 3}};
    case row_kind::stft:
      return {{lines_of(1 + sizes[0] / sizes[2], sizes[1])}};
    default:
      return {};
  }
}

/// Dry runs of radix-2 FFTs, each problem once.
class fft_runs {
 public:
  explicit fft_runs(device& on) : on_(on) {}

  const published_run& of(const fft_problem& lines) {
    const auto [at, is_new] = known_.try_emplace(lines.extents);
    if (is_new) at->second = butterfly_fft(on_, lines);
    return at->second;
  }

 private:
  device& on_;
  std::map<std::vector<std::size_t>, published_run> known_;
};

launch_result dry_launch(device& on, const sized_kernel& kernel) {
  return prepared_kernel(on, kernel, run_mode::dry_run)
      .launch({kernel.inputs.begin(), kernel.inputs.end()},
              {kernel.outputs.begin(), kernel.outputs.end()});
}

/// Time that `work` takes on the device, from its record.
published_run run_of(device& on, const std::function<void()>& work) {
  const published_detail::host_driver host(on, run_mode::dry_run);
  work();
  return host.result();
}

// The product that a row computes, from its sizes as row_kind orders them.
gemm_problem product_of(const table_row& row) {
  const bool batched = row.kind == row_kind::batched_matmul || row.kind == row_kind::gemm_slices;
  const auto size = [&](std::size_t i) { return std::size_t(row.sizes[i]); };
  const std::size_t first = batched ? 1 : 0;
  return {
      .batch = batched ? size(0) : 1, .m = size(first), .k = size(first + 1), .n = size(first + 2)};
}

gemm_problem complex_product_of(const table_row& row) {
  gemm_problem product = product_of(row);
  product.is_complex = true;
  return product;
}

product_problem mask_of(const table_row& row) {
  return {.count = std::size_t(row.sizes[0] * row.sizes[1])};
}

pair_energy_problem energy_of(const table_row& row) {
  return {.nocc = std::size_t(row.sizes[0]),
          .nvir = std::size_t(row.sizes[1]),
          .naux = std::size_t(row.sizes[2])};
}

stockham_plan stockham_of(const table_row& row) {
  return row.sizes[2] == 4   ? stockham_plan::radix_4
         : row.sizes[2] == 8 ? stockham_plan::radix_8
                             : stockham_plan::mixed;
}

published_run run_row(const table_row& row, device& on, fft_runs& ffts) {
  switch (row.kind) {
    case row_kind::complex_gemm:
      return complex_gemm(on, complex_product_of(row));
    case row_kind::complex_linear:
      return complex_linear(on, complex_product_of(row));
    case row_kind::complex_mask:
      return complex_mask_apply(on, mask_of(row));
    case row_kind::matmul:
      return run_of(on, [&] { dry_launch(on, matmul_kernel(product_of(row), on.machine())); });
    case row_kind::batched_matmul:
      return run_of(on, [&] { dry_launch(on, bmm_kernel(product_of(row), on.machine())); });
    case row_kind::gemm:
      return run_of(on, [&] { dry_launch(on, gemm_kernel(product_of(row), on.machine())); });
    case row_kind::gemm_slices:
      return run_of(on, [&] { batched_gemm_by_slices(on, product_of(row)); });
    case row_kind::dft_product:
      return dft_gemm(on, lines_of(row.sizes[0], row.sizes[1]));
    case row_kind::stockham:
      return stockham_fft(on, lines_of(row.sizes[0], row.sizes[1]), stockham_of(row));
    case row_kind::fused_mp2:
      return run_of(on, [&] { dry_launch(on, fused_mp2_kernel(energy_of(row), on.machine())); });
    default: {
      published_run all;
      for (const fft_call& call : fft_calls(row))
        for (std::int64_t i = 0; i < call.times; ++i) all.add(ffts.of(call.lines));
      return all;
    }
  }
}

std::optional<sized_kernel> our_kernel(const table_row& row, const machine_spec& machine) {
  const auto s = sizes_of(row);
  const auto size = [&](std::size_t i) { return std::size_t(s[i]); };
  switch (row.kind) {
    case row_kind::fft:
    case row_kind::bluestein: {
      fft_problem all_axes{.type = real_type::single_precision, .extents = {s.begin(), s.end()}};
      all_axes.axes.resize(s.size());
      std::iota(all_axes.axes.begin(), all_axes.axes.end(), std::size_t{0});
      return fft_kernel(all_axes, machine);
    }
    case row_kind::batched_fft:
    case row_kind::dft_product:
    case row_kind::stockham:
      return fft_kernel(lines_of(s[0], s[1]), machine);
    case row_kind::stft:
      return stft_kernel(
          {.samples = size(0), .n_fft = size(1), .hop = size(2), .padding = edge_padding::reflect},
          machine);
    case row_kind::complex_gemm:
      return kernels::complex_gemm_kernel(complex_product_of(row), machine);
    case row_kind::complex_linear:
      return kernels::complex_gemm_kernel(complex_product_of(row), machine,
                                          {.right_transposed = true});
    case row_kind::complex_mask:
      return kernels::complex_mask_kernel(mask_of(row), machine, {.rows = size(0)});
    case row_kind::matmul:
    case row_kind::gemm:
      return kernels::gemm_kernel(product_of(row), machine);
    case row_kind::batched_matmul:
    case row_kind::gemm_slices:
      return batched_gemm_kernel(product_of(row), machine);
    case row_kind::fused_mp2:
      return mp2_energy_kernel(energy_of(row), machine);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<double> published_host_us(const table_row& row) {
  std::optional<double> least;
  for (const table_row& other : table())
    if (other.where == row_place::host && other.system == row.system && other.op == row.op &&
        other.shape == row.shape && (!least || other.us < *least))
      least = other.us;
  return least;
}

runtime_spec runtime_of(const table_row& row) {
  return row.sdk == "2.29" ? sdk_2_29() : sdk_2_24();
}

published_run run_published(const table_row& row, device& on) {
  require_device("run_published", row);
  fft_runs ffts(on);
  return run_row(row, on, ffts);
}

published_host_work host_work_of(const table_row& row, const published_host_terms& terms) {
  require_device("host_work_of", row);
  published_host_work work;
  const double points = double(row.sizes[1]);
  for (const fft_call& call : fft_calls(row))
    work.bit_reversal_us +=
        double(call.times) * double(call.lines.extents[1]) * terms.bit_reversal_us;
  if (row.kind == row_kind::bluestein) work.chirp_us = double(row.sizes[0]) * terms.chirp_us;
  if (row.kind == row_kind::dft_product) work.matrix_us = points * points * terms.matrix_us;
  if (row.kind == row_kind::stockham)
    work.stockham_stage_us =
        double(stockham_radices(row.sizes[1], stockham_of(row)).size()) * terms.stockham_stage_us;
  return work;
}

std::optional<launch_result> run_ours(const table_row& row, device& on) {
  if (row.where != row_place::partly) require_device("run_ours", row);
  const auto kernel = our_kernel(row, on.machine());
  if (!kernel) return std::nullopt;
  return dry_launch(on, *kernel);
}

std::vector<step_row> steps_by_ours(const machine_spec& machine,
                                    const std::optional<runtime_spec>& runtime) {
  std::vector<step_row> steps;
  for (const table_row& row : table()) {
    if (row.where != row_place::partly) continue;
    device on(machine, runtime ? *runtime : runtime_of(row));
    if (auto ours = run_ours(row, on)) steps.push_back({&row, *std::move(ours)});
  }
  return steps;
}

std::optional<double> modelled_row::speedup() const {
  if (!ours) return std::nullopt;
  return row->us / (ours->total_seconds() * 1e6);
}

double kernel_row::range_width() const {
  return (range->high_seconds - range->low_seconds) / seconds;
}

bool kernel_row::range_holds_published() const {
  return range->low_seconds * 1e6 <= row->us && row->us <= range->high_seconds * 1e6;
}

std::vector<kernel_row> model_kernels(const machine_spec& machine, bool ranges) {
  std::vector<kernel_row> rows;
  for (const table_row& row : table()) {
    if (row.where != row_place::kernel) continue;
    std::istringstream words{std::string(row.kernel)};
    const std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
    const sized_kernel kernel =
        size_kernel(find_any(all.front()), std::span(all).subspan(1), machine);
    device on(machine);
    launch_result ran = dry_launch(on, kernel);
    kernel_row made{.row = &row, .seconds = ran.device_seconds, .profile = std::move(ran.summary)};
    if (ranges) made.range = modelled_range(kernel, machine);
    rows.push_back(std::move(made));
  }
  return rows;
}

std::vector<modelled_row> model_table(const machine_spec& machine,
                                      const std::optional<runtime_spec>& runtime,
                                      const published_host_terms& terms) {
  struct set_up {
    device on;
    fft_runs ffts;
    set_up(const machine_spec& m, const runtime_spec& r) : on(m, r), ffts(on) {}
  };
  std::map<std::string, set_up> devices;  // one for each runtime
  std::vector<modelled_row> rows;
  for (const table_row& row : table()) {
    if (row.where != row_place::device) continue;
    const runtime_spec r = runtime ? *runtime : runtime_of(row);
    set_up& with = devices.try_emplace(r.name, machine, r).first->second;
    rows.push_back({.row = &row,
                    .runtime = r.name,
                    .run = run_row(row, with.on, with.ffts),
                    .host = host_work_of(row, terms),
                    .ours = run_ours(row, with.on)});
  }
  return rows;
}

}  // namespace papilio::kernels::published
