#include "papilio/io.hpp"

#include <algorithm>
#include <filesystem>

#include "io/npy_header.hpp"
#include "papilio/base/error.hpp"

namespace papilio {
namespace {

std::uint64_t size_of(std::span<const std::uint64_t> extents, std::size_t element_bytes) {
  std::uint64_t size = 1;
  for (const std::uint64_t extent : extents)
    size = checked_multiply(size, extent, "npy_region_writer: size");
  checked_multiply<std::uint64_t>(size, element_bytes, "npy_region_writer: size in bytes");
  return size;
}

}  // namespace

template <class T>
npy_region_writer<T>::npy_region_writer(const std::filesystem::path& path,
                                        std::vector<std::uint64_t> extents)
    : extents_(std::move(extents)), size_(size_of(extents_, sizeof(T))), file_(path) {
  if (!file_.is_rewritable())
    throw io_error(path.string(), "an array that is written in pieces must go to a regular file");
  const std::string header = io_detail::npy_header(io_detail::npy_element_type<T>(), extents_);
  header_bytes_ = header.size();
  file_.write(header.data(), header.size());
}

template <class T>
void npy_region_writer<T>::write(std::uint64_t first, std::span<const T> values) {
  if (first > size_ || values.size() > size_ - first)
    throw shape_error(base_detail::message("npy_region_writer::write: elements ", first, " ... ",
                                           first + values.size(), " are beyond the array's ",
                                           size_));
  file_.write_at(header_bytes_ + first * sizeof(T), values.data(), values.size_bytes());
  written_ += values.size();
}

template <class T>
void npy_region_writer<T>::commit() {
  if (written_ != size_)
    throw shape_error(base_detail::message("npy_region_writer::commit: ", written_,
                                           " elements were written, of ", size_));
  file_.commit();
}

template class npy_region_writer<float>;
template class npy_region_writer<double>;
template class npy_region_writer<std::complex<float>>;
template class npy_region_writer<std::complex<double>>;

}  // namespace papilio
