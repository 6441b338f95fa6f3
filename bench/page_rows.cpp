#include "page_rows.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "kernels/published/published_table.hpp"
#include "papilio/signal.hpp"

namespace papilio::bench {
namespace {

using namespace kernels::published;
using sizes_type = std::array<std::int64_t, 4>;

std::size_t size_at(const sizes_type& s, std::size_t i) { return static_cast<std::size_t>(s[i]); }

operation transform(std::vector<std::size_t> extents, std::vector<std::size_t> axes) {
  return fft_problem{
      .type = real_type::single_precision, .extents = std::move(extents), .axes = std::move(axes)};
}

operation short_time_transform(const sizes_type& s) {
  const array<float, 1> window = make_window<float>(window_kind::hann, size_at(s, 1));
  return stft_problem{.samples = size_at(s, 0),
                      .n_fft = size_at(s, 1),
                      .hop = size_at(s, 2),
                      .window = {window.begin(), window.end()},
                      .padding = edge_padding::reflect};
}

operation operation_of_kind(row_kind kind, const sizes_type& s) {
  switch (kind) {
    case row_kind::fft: {
      std::vector<std::size_t> extents, axes;
      for (std::size_t i = 0; i < s.size() && s[i] > 0; ++i) {
        extents.push_back(size_at(s, i));
        axes.push_back(i);
      }
      return transform(extents, axes);
    }
    case row_kind::batched_fft:
      return transform({size_at(s, 0), size_at(s, 1)}, {1});
    case row_kind::bluestein:
      return transform({size_at(s, 0)}, {0});
    case row_kind::stft:
      return short_time_transform(s);
    case row_kind::complex_mask:
      return product_problem{size_at(s, 0) * size_at(s, 1)};
    case row_kind::batched_matmul:
      return gemm_problem{size_at(s, 0), size_at(s, 1), size_at(s, 2), size_at(s, 3)};
    default:
      return gemm_problem{.m = size_at(s, 0),
                          .k = size_at(s, 1),
                          .n = size_at(s, 2),
                          .is_complex = kind != row_kind::matmul};
  }
}

// The device's row; where the source asked for it and the host ran, that one.
const table_row& published_row(std::string_view op, std::string_view shape) {
  const auto rows = table();
  const auto at = std::ranges::find_if(rows, [&](const table_row& r) {
    return r.where != row_place::host && r.op == op && r.shape.starts_with(shape);
  });
  if (at == rows.end())
    throw std::runtime_error("no published row of " + std::string(op) + ' ' + std::string(shape));
  return *at;
}

page_row plain_row(const char* table_name, const table_row& r) {
  page_row row{.table = table_name,
               .op = std::string(r.op),
               .shape = std::string(r.shape.substr(0, r.shape.find(" ("))),
               .published_device = r.us,
               .published_host = published_host_us(r)};
  if (r.where == row_place::host_as_device)
    row.published_note = "the device was asked for, the host ran";
  if (r.where == row_place::partly) row.published_note = "host work between the steps";
  return row;
}

page_row device_row(const char* table_name, std::string_view op, std::string_view shape) {
  const table_row& r = published_row(op, shape);
  page_row row = plain_row(table_name, r);
  row.what = operation_of_kind(r.kind, r.sizes);
  row.flops = nominal_flops(*row.what);
  row.transpose_b = r.kind == row_kind::complex_linear || r.op == "einsum ap,bp->ab";
  return row;
}

page_row decomposition_row(const char* table_name, std::string_view op, const decomposition& of) {
  page_row row = plain_row(table_name, published_row(op, "16^3"));
  row.decomposed = of;
  return row;
}

// out[i, n, P] = sum over m of A[m, i] B[m, n, P]: A^t [i, m] times B as [m, n P].
page_row four_index_row() {
  page_row row = plain_row("contractions", published_row("einsum mi,mnP->inP", "32x8 . 32x32x64"));
  row.what = gemm_problem{.m = 8, .k = 32, .n = std::size_t{32} * 64};
  row.flops = nominal_flops(*row.what);
  row.transpose_a = true;
  return row;
}

page_row energy_row(std::string_view op, std::string_view shape,
                    const pair_energy_problem& energies) {
  page_row row = plain_row("energy", published_row(op, shape));
  row.what = energies;
  row.flops = nominal_flops(*row.what);
  return row;
}

void add_contractions(std::vector<page_row>& rows) {
  const char* const table_name = "contractions";
  rows.push_back(device_row(table_name, "einsum ap,bp->ab", "48x128"));
  rows.push_back(four_index_row());
  rows.push_back(device_row(table_name, "einsum ij,jk->ik", "512x"));
  rows.push_back(decomposition_row(table_name, "tucker_decompose", {16, 4}));
  rows.push_back(device_row(table_name, "einsum bij,bjk->bik", "16 x"));
  rows.push_back(device_row(table_name, "einsum ij,jk->ik", "1024x"));
  rows.push_back(decomposition_row(table_name, "cp_decompose", {16, 8, 20}));
  rows.push_back(device_row(table_name, "einsum ij,jk->ik", "2048x"));
  rows.push_back(device_row(table_name, "einsum bij,bjk->bik", "32 x"));
}

void add_transforms(std::vector<page_row>& rows) {
  const std::vector<std::pair<const char*, std::vector<const char*>>> all{
      {"batched fft", {"(32,1024)", "(128,1024)"}},
      {"bluestein fft", {"n=127", "n=4097", "n=997"}},
      {"fft 1-D", {"n=1024", "n=16384", "n=256", "n=4096", "n=65536"}},
      {"fft2", {"(64,64)", "(256,256)", "(1024,1024)"}},
      {"fftn", {"(8,16,16)", "(32,64,64)"}},
      {"complex gemm (n,n)x(n,n)", {"1024x", "128x", "256x", "512x"}},
      {"ComplexLinear forward", {"in=128", "in=512"}},
      {"complex mask multiply", {"(64,32)", "(256,128)", "(1024,512)"}},
      {"stft 16000 samples", {"n_fft=512"}}};
  for (const auto& [op, shapes] : all)
    for (const char* const shape : shapes) rows.push_back(device_row("transforms", op, shape));
}

}  // namespace

std::vector<page_row> page_rows() {
  std::vector<page_row> rows;
  add_contractions(rows);
  add_transforms(rows);
  constexpr std::size_t iterations = 5;
  page_row device_array = device_row("residency", "einsum ij,jk->ik", "2048x");
  device_array.op = "5 products of resident matrices";
  device_array.iterations = iterations;
  device_array.flops *= static_cast<double>(iterations);
  device_array.published_device = device_array.published_host = std::nullopt;
  device_array.published_note = "published as at least 3 times as fast as 5 calls";
  rows.push_back(device_array);
  rows.push_back(energy_row("mp2_energy", "nocc=5", {5, 19, 72}));
  rows.push_back(energy_row("mp2_energy", "nocc=16", {16, 128, 128}));
  rows.push_back(energy_row("DF-MP2 energy step", "nbasis=512", {64, 448, 1536}));
  rows.push_back(energy_row("DF-MP2 energy step", "nbasis=768", {96, 672, 2304}));
  return rows;
}

}  // namespace papilio::bench
