#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "papilio/base/export.hpp"

// Times that others published, as data: kernels/published/published.json, in the library.
namespace papilio::kernels::published {

/// Where the time of a row was spent.
enum class row_place : std::uint8_t {
  device,          ///< the device, with copies, launches and the program around them
  partly,          ///< a step of which the device is a part
  host,            ///< the host
  host_as_device,  ///< the device was asked for, and the host ran
  retracted        ///< withdrawn by its authors
};

/// What a row computes, and its sizes.
enum class row_kind : std::uint8_t {
  fft,             ///< extents, all of which are transformed
  batched_fft,     ///< lines, points
  bluestein,       ///< points
  stft,            ///< samples, n_fft, hop; centred
  complex_gemm,    ///< m, k, n
  complex_linear,  ///< rows, inputs, outputs
  complex_mask,    ///< rows, columns
  matmul,          ///< m, k, n
  batched_matmul,  ///< products, m, k, n
  fused_mp2,       ///< nocc, nvir, naux
  other            ///< none
};

struct table_row {
  std::string_view system;   ///< the library that published it: "trnfft", "trntensor", "trnblas"
  std::string_view version;  ///< of that library
  std::string_view sdk;      ///< of the vendor, "2.24"; empty where the source has none
  std::string_view source;   ///< a public document
  std::string_view op, shape, precision, path;  ///< as the source has them
  std::string_view note;
  row_place where = row_place::host;
  row_kind kind = row_kind::other;
  std::array<std::int64_t, 4> sizes = {};  ///< as row_kind says, then zeros
  double us = 0;                           ///< of a warm call
};

/// All rows, in the order of the file.
PAPILIO_API std::span<const table_row> table();

/// The fastest row of the host for the operation of `row`: the same system, operation and shape.
/// None where nothing was published.
PAPILIO_API std::optional<double> published_host_us(const table_row& row);

}  // namespace papilio::kernels::published
