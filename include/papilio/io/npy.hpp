#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <type_traits>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/atomic_file.hpp"
#include "papilio/base/view.hpp"

// NumPy's .npy files, format version 1.0, written in the machine's byte order, which the header
// states. Element types of save_npy: float, double, std::complex of either, bool and the integers
// of 8 to 64 bits; of npy_writer: the floating-point ones, std::int32_t, std::int64_t and
// std::uint8_t. They are read by npy_tensor.hpp, and in pieces by npy_regions.hpp.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

namespace papilio {
namespace io_detail {

template <class T>
PAPILIO_API void save_npy(const std::filesystem::path& path, const T* data,
                          std::span<const std::size_t> extents,
                          std::span<const std::ptrdiff_t> strides);

}  // namespace io_detail

/// Writes `values` to `path` in C order, whatever the view's strides, so that numpy.load gives an
/// array of the same extents. Atomic (see atomic_file). Extra memory: one line of the last axis.
/// io_error if the file cannot be written, resource_error if the size overflows.
template <class T, std::size_t Rank>
void save_npy(const std::filesystem::path& path, view<T, Rank> values) {
  io_detail::save_npy<std::remove_const_t<T>>(path, values.data(), values.extents(),
                                              values.strides());
}

template <class T, std::size_t Rank>
void save_npy(const std::filesystem::path& path, const array<T, Rank>& values) {
  save_npy(path, values.view());
}

/// Writes an array of shape [rows, row_extents...] whose number of rows is known only at the end.
/// The header is written first, with room for any count, and rewritten by commit(); so the target
/// must be a file that can be rewritten, no pipe. Nothing appears at `path` before commit().
template <class T>
class PAPILIO_API npy_writer {
 public:
  /// `row_extents` may be empty: the array then has rank 1. shape_error if one of them is 0.
  npy_writer(const std::filesystem::path& path, std::vector<std::size_t> row_extents);

  /// Appends whole rows, in C order; shape_error if `values` does not end with a row.
  void write_rows(std::span<const T> values);

  /// Rows written so far.
  std::uint64_t rows() const { return rows_; }

  void commit();

 private:
  std::vector<std::size_t> row_extents_;
  std::size_t row_size_;
  std::uint64_t rows_ = 0;
  std::size_t header_bytes_;
  atomic_file file_;
};

}  // namespace papilio
