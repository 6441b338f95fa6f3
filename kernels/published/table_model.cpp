// The published table, row by row: the published algorithm and papilio's own kernel for the same
// operation, both in dry runs.
#include "papilio/kernels/published.hpp"

#include <bit>
#include <map>
#include <span>
#include <utility>

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
  transform_shape shape;
  std::int64_t times = 1;
};

/// Those of a transform: a batch for each axis; three of a power of two for Bluestein's.
std::vector<fft_call> fft_calls(const table_row& row) {
  const auto sizes = sizes_of(row);
  switch (row.kind) {
    case row_kind::fft: {
      std::int64_t points = 1;
      for (const std::int64_t n : sizes) points *= n;
      std::vector<fft_call> calls;
      for (const std::int64_t n : sizes) calls.push_back({{.n = n, .batch = points / n}});
      return calls;
    }
    case row_kind::batched_fft:
      return {{{.n = sizes[1], .batch = sizes[0]}}};
    case row_kind::bluestein:
      return {{{.n = std::int64_t(std::bit_ceil(std::uint64_t(2 * sizes[0] - 1)))}, 3}};
    case row_kind::stft:
      return {{{.n = sizes[1], .batch = 1 + sizes[0] / sizes[2]}}};
    default:
      return {};
  }
}

/// Dry runs of radix-2 FFTs, each shape once.
class fft_runs {
 public:
  explicit fft_runs(device& on) : on_(on) {}

  const published_run& of(const transform_shape& shape) {
    const auto [at, is_new] = known_.try_emplace({shape.n, shape.batch});
    if (is_new) at->second = butterfly_fft(on_, shape);
    return at->second;
  }

 private:
  device& on_;
  std::map<std::pair<std::int64_t, std::int64_t>, published_run> known_;
};

launch_result dry_launch(device& on, const sized_kernel& kernel) {
  return prepared_kernel(on, kernel, run_mode::dry_run)
      .launch({kernel.inputs.begin(), kernel.inputs.end()},
              {kernel.outputs.begin(), kernel.outputs.end()});
}

published_run as_run(const launch_result& r) {
  return {.launches = 1,
          .launch_seconds = r.launch_seconds,
          .compile_seconds = r.compile_seconds,
          .device_seconds = r.device_seconds,
          .upload = r.upload,
          .fetch = r.fetch};
}

published_run run_row(const table_row& row, device& on, fft_runs& ffts) {
  const auto s = sizes_of(row);
  switch (row.kind) {
    case row_kind::complex_gemm:
      return complex_gemm(on, {.m = s[0], .k = s[1], .n = s[2]});
    case row_kind::complex_linear:
      return complex_linear(on, {.m = s[0], .k = s[1], .n = s[2]});
    case row_kind::complex_mask:
      return complex_mask_apply(on, s[0] * s[1]);
    case row_kind::matmul:
      return as_run(dry_launch(on, matmul_kernel({.m = s[0], .k = s[1], .n = s[2]}, on.machine())));
    case row_kind::batched_matmul:
      return as_run(
          dry_launch(on, bmm_kernel(s[0], {.m = s[1], .k = s[2], .n = s[3]}, on.machine())));
    case row_kind::fused_mp2:
      return as_run(dry_launch(
          on, fused_mp2_kernel({.nocc = s[0], .nvir = s[1], .naux = s[2]}, on.machine())));
    default: {
      published_run all;
      for (const fft_call& call : fft_calls(row))
        for (std::int64_t i = 0; i < call.times; ++i) all.add(ffts.of(call.shape));
      return all;
    }
  }
}

std::optional<sized_kernel> our_kernel(const table_row& row, const machine_spec& machine) {
  const auto s = sizes_of(row);
  switch (row.kind) {
    case row_kind::fft:
    case row_kind::bluestein:
      return fft_kernel({.extents = {s.begin(), s.end()}}, machine);
    case row_kind::batched_fft:
      return fft_kernel({.extents = {s.begin(), s.end()}, .axes = {-1}}, machine);
    case row_kind::stft:
      return stft_kernel({.samples = std::size_t(s[0]),
                          .n_fft = std::size_t(s[1]),
                          .hop = std::size_t(s[2]),
                          .padding = edge_padding::reflect},
                         machine);
    case row_kind::complex_gemm:
      return complex_gemm_kernel(complex_gemm_shape{.m = s[0], .k = s[1], .n = s[2]}, machine);
    case row_kind::complex_linear:
      return complex_linear_kernel(
          complex_linear_shape{.batch = s[0], .in = s[1], .out = s[2], .bias = false}, machine);
    case row_kind::complex_mask:
      return complex_mask_kernel(complex_mask_shape{.rows = s[0], .columns = s[1]}, machine);
    case row_kind::matmul:
      return gemm_kernel(kernels::gemm_shape{.m = s[0], .k = s[1], .n = s[2]}, machine);
    case row_kind::batched_matmul:
      return batched_gemm_kernel({.batch = s[0], .m = s[1], .k = s[2], .n = s[3]}, machine);
    case row_kind::fused_mp2:
      return mp2_energy_kernel({.nocc = s[0], .nvir = s[1], .naux = s[2]}, machine);
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
  for (const fft_call& call : fft_calls(row))
    work.bit_reversal_us += double(call.times * call.shape.n) * terms.bit_reversal_us;
  if (row.kind == row_kind::bluestein) work.chirp_us = double(row.sizes[0]) * terms.chirp_us;
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
