#include "papilio/io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <filesystem>
#include <limits>
#include <string>

#include "io/npy_header.hpp"
#include "papilio/base/error.hpp"

namespace papilio {
namespace {

constexpr std::size_t header_alignment_bytes = 64;
constexpr std::size_t preamble_bytes = 10;  // magic (6), version (2), header length (2)

/// A Python tuple: "()", "(3,)", "(3, 4)".
std::string tuple(std::span<const std::uint64_t> extents) {
  if (extents.size() == 1) return fmt::format("({},)", extents[0]);
  return fmt::format("({})", fmt::join(extents, ", "));
}

template <class T>
std::string header(std::span<const std::uint64_t> extents, std::size_t least_bytes = 0) {
  return io_detail::npy_header(io_detail::npy_element_type<T>(), extents, least_bytes);
}

std::vector<std::uint64_t> with_rows(std::uint64_t rows, const std::vector<std::size_t>& extents) {
  std::vector<std::uint64_t> result{rows};
  result.insert(result.end(), extents.begin(), extents.end());
  return result;
}

std::size_t row_size_of(const std::vector<std::size_t>& extents) {
  std::size_t size = 1;
  for (const std::size_t extent : extents) {
    if (extent == 0) throw shape_error("npy_writer: row_extents must be at least 1, got 0");
    size = checked_multiply(size, extent, "npy_writer: row size");
  }
  return size;
}

/// Writes one line along the last axis.
template <class T>
void write_line(atomic_file& file, const T* data, std::size_t count, std::ptrdiff_t stride,
                array<T, 1>& gathered) {
  if (stride == 1) return file.write(data, count * sizeof(T));
  for (std::size_t i = 0; i < count; ++i)
    gathered.data()[i] = data[static_cast<std::ptrdiff_t>(i) * stride];
  file.write(gathered.data(), count * sizeof(T));
}

template <class T>
void write_elements(atomic_file& file, const T* data, std::span<const std::size_t> extents,
                    std::span<const std::ptrdiff_t> strides, array<T, 1>& gathered) {
  if (extents.empty()) return file.write(data, sizeof(T));
  if (extents.size() == 1) return write_line(file, data, extents[0], strides[0], gathered);
  for (std::size_t i = 0; i < extents[0]; ++i)
    write_elements(file, data + static_cast<std::ptrdiff_t>(i) * strides[0], extents.subspan(1),
                   strides.subspan(1), gathered);
}

}  // namespace

namespace io_detail {

std::string npy_header(const std::string& element_type, std::span<const std::uint64_t> extents,
                       std::size_t least_bytes) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                 element_type, tuple(extents));
  const std::size_t needed = std::max(preamble_bytes + text.size() + 1, least_bytes);
  const std::size_t total =
      (needed + header_alignment_bytes - 1) / header_alignment_bytes * header_alignment_bytes;
  text.append(total - preamble_bytes - text.size() - 1, ' ');
  text += '\n';
  const auto length = checked_cast<std::uint16_t>(text.size(), "save_npy: header length");
  std::string result("\x93NUMPY\x01\x00", 8);
  result += static_cast<char>(length & 0xff);
  result += static_cast<char>(length >> 8);
  return result + text;
}

template <class T>
void save_npy(const std::filesystem::path& path, const T* data,
              std::span<const std::size_t> extents, std::span<const std::ptrdiff_t> strides) {
  // If one extent is 0, the others may be anything.
  std::size_t count = std::ranges::find(extents, std::size_t{0}) == extents.end() ? 1 : 0;
  if (count > 0)
    for (const std::size_t extent : extents)
      count = checked_multiply(count, extent, "save_npy: size");
  checked_multiply(count, sizeof(T), "save_npy: size in bytes");
  const std::vector<std::uint64_t> shape(extents.begin(), extents.end());
  atomic_file file(path);
  const std::string start = header<T>(shape);
  file.write(start.data(), start.size());
  const bool is_gathered = count > 0 && !strides.empty() && strides.back() != 1;
  array<T, 1> gathered(is_gathered ? extents.back() : 0, uninitialized);
  if (count > 0) write_elements(file, data, extents, strides, gathered);
  file.commit();
}

}  // namespace io_detail

template <class T>
npy_writer<T>::npy_writer(const std::filesystem::path& path, std::vector<std::size_t> row_extents)
    : row_extents_(std::move(row_extents)), row_size_(row_size_of(row_extents_)), file_(path) {
  const std::string widest =
      header<T>(with_rows(std::numeric_limits<std::uint64_t>::max(), row_extents_));
  header_bytes_ = widest.size();
  file_.write(widest.data(), widest.size());
}

template <class T>
void npy_writer<T>::write_rows(std::span<const T> values) {
  if (values.size() % row_size_ != 0)
    throw shape_error(base_detail::message("npy_writer::write_rows: ", values.size(),
                                           " values are no whole number of rows of ", row_size_));
  file_.write(values.data(), values.size_bytes());
  rows_ += values.size() / row_size_;
}

template <class T>
void npy_writer<T>::commit() {
  const std::string actual = header<T>(with_rows(rows_, row_extents_), header_bytes_);
  file_.write_at(0, actual.data(), actual.size());
  file_.commit();
}

#define PAPILIO_INSTANTIATE_SAVE_NPY(T)                                                    \
  template PAPILIO_API void io_detail::save_npy<T>(const std::filesystem::path&, const T*, \
                                                   std::span<const std::size_t>,           \
                                                   std::span<const std::ptrdiff_t>);
PAPILIO_INSTANTIATE_SAVE_NPY(bool)
PAPILIO_INSTANTIATE_SAVE_NPY(std::int8_t)
PAPILIO_INSTANTIATE_SAVE_NPY(std::int16_t)
PAPILIO_INSTANTIATE_SAVE_NPY(std::uint16_t)
PAPILIO_INSTANTIATE_SAVE_NPY(std::uint32_t)
PAPILIO_INSTANTIATE_SAVE_NPY(std::uint64_t)
#define PAPILIO_INSTANTIATE_NPY(T) \
  PAPILIO_INSTANTIATE_SAVE_NPY(T)  \
  template class PAPILIO_API npy_writer<T>;
PAPILIO_INSTANTIATE_NPY(float)
PAPILIO_INSTANTIATE_NPY(double)
PAPILIO_INSTANTIATE_NPY(std::complex<float>)
PAPILIO_INSTANTIATE_NPY(std::complex<double>)
PAPILIO_INSTANTIATE_NPY(std::int32_t)
PAPILIO_INSTANTIATE_NPY(std::int64_t)
PAPILIO_INSTANTIATE_NPY(std::uint8_t)
#undef PAPILIO_INSTANTIATE_NPY
#undef PAPILIO_INSTANTIATE_SAVE_NPY

}  // namespace papilio
