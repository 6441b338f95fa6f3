#include "cli/published_host_times.hpp"

#include <complex>
#include <functional>

#include "cli/host_timing.hpp"
#include "papilio/base.hpp"
#include "papilio/contract.hpp"
#include "papilio/signal.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::cli::published_verb {

using namespace kernels::published;

namespace {

// The sizes of a plain transform are its axes, of others lines and points.
host_times timed_transform(const table_row& row) {
  fft_problem problem{.type = real_type::single_precision};
  problem.extents.clear();
  problem.axes.clear();
  std::size_t lines = 1;
  if (row.kind == row_kind::fft || row.kind == row_kind::bluestein) {
    for (const auto size : row.sizes)
      if (size > 0) problem.extents.push_back(std::size_t(size));
  } else {
    lines = std::size_t(row.sizes[0]);
    problem.extents.push_back(std::size_t(row.sizes[1]));
  }
  for (std::size_t axis = 0; axis < problem.extents.size(); ++axis) problem.axes.push_back(axis);
  host_times times;
  for (const fft_candidate& candidate : fft_candidates()) {
    if (!candidate.refusal(problem).empty()) continue;
    if (const auto seconds = measured_seconds(*candidate.build(problem), problem, lines, 1))
      times[candidate.name] = *seconds * 1e6;
  }
  return times;
}

double shortest_us(const std::function<void()>& run) { return shortest_seconds(run, true) * 1e6; }

host_times timed_stft(const table_row& row) {
  const stft_plan<float> plan(
      torch_stft(std::size_t(row.sizes[1]), std::size_t(row.sizes[2]), window_kind::hann));
  const array<float, 1> signal({std::size_t(row.sizes[0])});
  array<std::complex<float>, 2> spectra({std::size_t(plan.segments(signal.size())), plan.bins()});
  return {{"host", shortest_us([&] { plan.execute(signal, spectra.view()); })}};
}

host_times timed_mask(const table_row& row) {
  const extents_type<2> extents{std::size_t(row.sizes[0]), std::size_t(row.sizes[1])};
  const array<std::complex<float>, 2> spectra(extents), mask(extents);
  array<std::complex<float>, 2> out(extents);
  return {{"host",
           shortest_us([&] { apply_mask<float, 2>(spectra.view(), mask.view(), out.view()); })}};
}

// [batch, m, k] by [batch, k, n] on one thread, as the other rows.
template <class T>
host_times timed_product(std::size_t batch, std::size_t m, std::size_t k, std::size_t n) {
  const array<T, 3> a({batch, m, k}), b({batch, k, n});
  array<T, 3> c({batch, m, n});
  const product_options alone{.on = {.where = policy::host, .threads = 1}};
  return {{"host", shortest_us([&] { gemm(a, b, c.view(), alone); })}};
}

host_times timed_product(const table_row& row) {
  const auto size = [&](std::size_t i) { return std::size_t(row.sizes[i]); };
  switch (row.kind) {
    case row_kind::complex_gemm:
      return timed_product<std::complex<float>>(1, size(0), size(1), size(2));
    case row_kind::complex_linear:
      return timed_product<std::complex<float>>(1, size(0), size(1), size(2));
    case row_kind::batched_matmul:
    case row_kind::gemm_slices:
      return timed_product<float>(size(0), size(1), size(2), size(3));
    default:
      return timed_product<float>(1, size(0), size(1), size(2));
  }
}

}  // namespace

host_times timed_on_host(const table_row& row) {
  switch (row.kind) {
    case row_kind::fft:
    case row_kind::batched_fft:
    case row_kind::bluestein:
    case row_kind::dft_product:
    case row_kind::stockham:
      return timed_transform(row);
    case row_kind::stft:
      return timed_stft(row);
    case row_kind::complex_mask:
      return timed_mask(row);
    case row_kind::complex_gemm:
    case row_kind::complex_linear:
    case row_kind::matmul:
    case row_kind::batched_matmul:
    case row_kind::gemm:
    case row_kind::gemm_slices:
      return timed_product(row);
    default:
      return {};
  }
}

}  // namespace papilio::cli::published_verb
