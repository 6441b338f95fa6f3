#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/atomic_file.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"

namespace papilio {

/// Field of a CSV row, as text. Floating-point numbers take the fewest digits that read back to the
/// same value in their own type; NaN is "nan", infinities "inf" and "-inf".
class PAPILIO_API csv_field {
 public:
  template <std::integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, char>)
  csv_field(T value) : text_(std::to_string(value)) {}
  csv_field(float value);
  csv_field(double value);
  csv_field(std::string value) : text_(std::move(value)) {}
  csv_field(std::string_view value) : text_(value) {}
  csv_field(const char* value) : text_(value) {}

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Writes comma-separated values: a header row, then rows of as many fields, lines ended by "\n". A
/// field with a comma, a quote or a line break is quoted, its quotes doubled (RFC 4180). Nothing
/// appears at `path` before commit(). Throws io_error as atomic_file.
class PAPILIO_API csv_writer {
 public:
  /// Writes the header row. Throws invalid_argument if `columns` is empty.
  csv_writer(const std::filesystem::path& path, const std::vector<std::string>& columns);

  /// Writes one row. Throws shape_error if the number of fields is not that of the columns.
  void write_row(std::span<const csv_field> fields);

  template <class... Fields>
    requires(sizeof...(Fields) > 0 && (std::constructible_from<csv_field, const Fields&> && ...))
  void row(const Fields&... fields) {
    const csv_field all[] = {csv_field(fields)...};
    write_row(all);
  }

  void commit() { file_.commit(); }

 private:
  atomic_file file_;
  std::size_t columns_;
};

}  // namespace papilio

// NumPy's .npy files are written in format version 1.0 and in the machine's byte order, which the
// header states. Element types of save_npy: float, double, std::complex of either, bool and the
// integers of 8 to 64 bits; of npy_writer: the floating-point ones, std::int32_t, std::int64_t and
// std::uint8_t. https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

namespace papilio {
namespace io_detail {

template <class T>
PAPILIO_API void save_npy(const std::filesystem::path& path, const T* data,
                          std::span<const std::size_t> extents,
                          std::span<const std::ptrdiff_t> strides);

}  // namespace io_detail

/// Writes `values` to `path` in C order, whatever the view's strides, so that numpy.load gives an
/// array of the same extents. The file appears whole or not at all (see atomic_file). Extra memory:
/// one line of the last axis.
/// Throws io_error if the file cannot be written, resource_error if the size overflows.
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
/// Throws io_error as atomic_file.
template <class T>
class PAPILIO_API npy_writer {
 public:
  /// Opens the file. `row_extents` may be empty: the array then has rank 1. Throws shape_error if
  /// one of them is 0, resource_error if their product overflows.
  npy_writer(const std::filesystem::path& path, std::vector<std::size_t> row_extents);

  /// Appends whole rows, in C order. Throws shape_error if `values` does not end with a row.
  void write_rows(std::span<const T> values);

  /// Number of rows written so far.
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

// Arrays in .npy files that are larger than memory: written and read in pieces, in any order.

namespace papilio {

/// Writes an array of known extents in pieces and in any order. T as in save_npy, floating-point
/// only. Nothing appears at `path` before commit().
template <class T>
class PAPILIO_API npy_region_writer {
 public:
  /// Opens the file. Throws resource_error if the size overflows; io_error as atomic_file, and if
  /// `path` cannot be rewritten (a pipe, a device).
  npy_region_writer(const std::filesystem::path& path, std::vector<std::uint64_t> extents);

  const std::vector<std::uint64_t>& extents() const { return extents_; }
  std::uint64_t size() const { return size_; }

  /// Writes the elements `first`, first + 1, ... in C order. Each is to be written once.
  /// Unbuffered: pieces should be 64 KiB or more. Throws shape_error if they end beyond the array.
  void write(std::uint64_t first, std::span<const T> values);

  /// Gives the file its name. Call it once, last. Throws shape_error unless as many elements were
  /// written as the array has.
  void commit();

 private:
  std::vector<std::uint64_t> extents_;
  std::uint64_t size_ = 0, written_ = 0, header_bytes_ = 0;
  atomic_file file_;
};

extern template class npy_region_writer<float>;
extern template class npy_region_writer<double>;
extern template class npy_region_writer<std::complex<float>>;
extern template class npy_region_writer<std::complex<double>>;

/// Reads arrays, format versions 1.0 to 3.0, in C order, in pieces. The header is checked against
/// the file; it takes at most 64 KiB of memory. Safe to read from many threads at once.
/// Throws io_error, "PATH: reason", if it is no regular file, no .npy file, in Fortran order, of
/// another version, rank over 32, or holds more or fewer bytes than its shape and element type
/// take.
class PAPILIO_API npy_reader {
 public:
  explicit npy_reader(const std::filesystem::path& path);
  ~npy_reader();
  npy_reader(npy_reader&&) noexcept;
  npy_reader& operator=(npy_reader&&) noexcept;

  const std::vector<std::uint64_t>& extents() const;
  std::uint64_t size() const;
  /// Type string of NumPy: "<f4", "<c8", ...
  const std::string& element_type() const;

  /// Whether the elements are float, double, or std::complex of either, in the machine's order.
  template <class T>
  bool holds() const;

  /// Reads the elements first ... first + out.size() - 1, in C order.
  /// Throws invalid_argument unless holds<T>(), shape_error if they end beyond the array, io_error
  /// if they cannot be read.
  template <class T>
  void read(std::uint64_t first, std::span<T> out) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace papilio

// Whole arrays of any rank from .npy files, and into them.

namespace papilio {

/// Header of a file, checked against its size.
struct npy_description {
  std::vector<std::size_t> extents;
  std::string element_type;    ///< numpy's: "<f4", ">c16", "|b1"
  bool fortran_order = false;  ///< how the file has them; what is read is in C order

  /// Smallest of "f4", "f8", "c8", "c16" that holds all values of the type; "f8" for integers of 64
  /// bits.
  PAPILIO_API std::string floating_type() const;

  bool operator==(const npy_description&) const = default;
};

/// Array in the element type of its file; 2-byte floating point is read as float (which is exact).
using npy_tensor =
    std::variant<tensor<bool>, tensor<std::int8_t>, tensor<std::int16_t>, tensor<std::int32_t>,
                 tensor<std::int64_t>, tensor<std::uint8_t>, tensor<std::uint16_t>,
                 tensor<std::uint32_t>, tensor<std::uint64_t>, tensor<float>, tensor<double>,
                 tensor<std::complex<float>>, tensor<std::complex<double>>>;

/// Reads the header of a file and checks it against the file.
/// Throws io_error, "PATH: reason", if it is no regular file, no .npy file of format version 1.0,
/// 2.0 or 3.0, of rank over 32, has a header over 64 KiB, holds more or fewer bytes than its shape
/// and element type take, or elements that are no numbers (objects, strings, times, records) or are
/// of another size (long double).
PAPILIO_API npy_description describe_npy(const std::filesystem::path& path);

/// Reads an array of either byte order and in C or Fortran order, to C order. A bool is whether its
/// byte is not 0. O(size); extra memory 256 KiB.
/// Throws as describe_npy, before memory is allocated; resource_error if that fails.
PAPILIO_API npy_tensor read_npy(const std::filesystem::path& path);

/// Reads an array in elements of T: float, double, or std::complex of either. Values are rounded to
/// the nearest that T has (beyond its range: infinite), bools are 0 and 1, and reals get an
/// imaginary part of 0. Throws also io_error if the elements are complex and T is not.
template <class T>
PAPILIO_API tensor<T> read_npy_as(const std::filesystem::path& path);

extern template tensor<float> read_npy_as(const std::filesystem::path&);
extern template tensor<double> read_npy_as(const std::filesystem::path&);
extern template tensor<std::complex<float>> read_npy_as(const std::filesystem::path&);
extern template tensor<std::complex<double>> read_npy_as(const std::filesystem::path&);

/// Writes an array whose rank is known at run time, 0 included, as save_npy of views. T: any
/// element type of an npy_tensor.
template <class T>
void save_npy(const std::filesystem::path& path, const tensor_view<T>& values) {
  io_detail::save_npy<std::remove_const_t<T>>(path, values.data(), values.extents(),
                                              values.strides());
}

template <class T>
void save_npy(const std::filesystem::path& path, const tensor<T>& values) {
  save_npy(path, values.view());
}

}  // namespace papilio

// Files: NPY, read and written, and CSV, written; whole or not at all.
