#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/atomic_file.hpp"
#include "papilio/base/export.hpp"

// Arrays in .npy files that are larger than memory: written and read in pieces, anywhere.

namespace papilio {

/// Writes an array of known extents in pieces and in any order. T as in save_npy. Nothing appears
/// at `path` before commit().
template <class T>
class PAPILIO_API npy_region_writer {
 public:
  /// resource_error if the size overflows; io_error as atomic_file, and where `path` is no file in
  /// which one can go back (a pipe, a device).
  npy_region_writer(const std::filesystem::path& path, std::vector<std::uint64_t> extents);

  const std::vector<std::uint64_t>& extents() const { return extents_; }
  std::uint64_t size() const { return size_; }

  /// Elements `first`, first + 1, ... in C order. Each is to be written once. Unbuffered: pieces
  /// want to be of 64 KiB or more. shape_error if they end beyond the array.
  void write(std::uint64_t first, std::span<const T> values);

  /// Call it once, last. shape_error if fewer elements were written than the array has.
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

/// Reads arrays, format versions 1.0 to 3.0, in C order, in pieces. Nothing the file says is
/// believed: io_error, "PATH: reason", if it is no regular file, no .npy file, in Fortran order, of
/// another version, rank over 32, or holds more or fewer bytes than its shape and element type
/// take. Memory is the header's, at most 64 KiB. Safe to read from many threads at once.
class PAPILIO_API npy_reader {
 public:
  explicit npy_reader(const std::filesystem::path& path);
  ~npy_reader();
  npy_reader(npy_reader&&) noexcept;
  npy_reader& operator=(npy_reader&&) noexcept;

  const std::vector<std::uint64_t>& extents() const;
  std::uint64_t size() const;
  /// NumPy's type string: "<f4", "<c8", ...
  const std::string& element_type() const;

  /// Whether the elements are float, double, or std::complex of either, in the machine's order.
  template <class T>
  bool holds() const;

  /// Elements first ... first + out.size() - 1, in C order. invalid_argument unless holds<T>(),
  /// shape_error if they end beyond the array, io_error if they cannot be read.
  template <class T>
  void read(std::uint64_t first, std::span<T> out) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace papilio
