#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/io/npy.hpp"

// Whole arrays of any rank from .npy files, and into them.

namespace papilio {

/// What the header of a file says, checked against its size.
struct npy_description {
  std::vector<std::size_t> extents;
  std::string element_type;    ///< numpy's: "<f4", ">c16", "|b1"
  bool fortran_order = false;  ///< how the file has them; what is read is in C order

  /// The smallest of "f4", "f8", "c8", "c16" that holds all its values, but for integers of 64
  /// bits, which are "f8".
  PAPILIO_API std::string floating_type() const;

  bool operator==(const npy_description&) const = default;
};

/// An array in the elements of its file; of 2-byte floating point, as float (which is exact).
using npy_tensor =
    std::variant<tensor<bool>, tensor<std::int8_t>, tensor<std::int16_t>, tensor<std::int32_t>,
                 tensor<std::int64_t>, tensor<std::uint8_t>, tensor<std::uint16_t>,
                 tensor<std::uint32_t>, tensor<std::uint64_t>, tensor<float>, tensor<double>,
                 tensor<std::complex<float>>, tensor<std::complex<double>>>;

/// What read_npy would read. Nothing the file says is believed: io_error, "PATH: reason", if it is
/// no regular file, no .npy file of format version 1.0, 2.0 or 3.0, of rank over 32, has a header
/// over 64 KiB, holds more or fewer bytes than its shape and element type take, or elements that
/// are no numbers (objects, strings, times, records) or are of another size (long double).
PAPILIO_API npy_description describe_npy(const std::filesystem::path& path);

/// The array, of elements of either byte order and in C or Fortran order, in C order. A bool is
/// whether its byte is not 0. Errors as describe_npy, before memory is taken; resource_error if it
/// cannot be had. O(size); extra memory 256 KiB.
PAPILIO_API npy_tensor read_npy(const std::filesystem::path& path);

/// The same in elements of T: float, double, or std::complex of either. Values are rounded to the
/// nearest that T has (beyond its range: infinite), bools are 0 and 1, and reals get an imaginary
/// part of 0. io_error also where the elements are complex and T is not.
template <class T>
PAPILIO_API tensor<T> read_npy_as(const std::filesystem::path& path);

extern template tensor<float> read_npy_as(const std::filesystem::path&);
extern template tensor<double> read_npy_as(const std::filesystem::path&);
extern template tensor<std::complex<float>> read_npy_as(const std::filesystem::path&);
extern template tensor<std::complex<double>> read_npy_as(const std::filesystem::path&);

/// As save_npy of views, for arrays whose rank is known at run time, 0 among them. T: any element
/// type of an npy_tensor.
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
