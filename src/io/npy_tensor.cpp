#include "papilio/io.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>

#include "io/npy_elements.hpp"
#include "io/npy_file.hpp"

namespace papilio {
namespace {

using io_detail::npy_file;

constexpr std::size_t block_bytes = std::size_t{1} << 18;

/// Takes the elements in the order of the file to where row-major order has them.
template <class To>
class placement {
 public:
  placement(tensor<To>& to, bool fortran_order)
      : to_(to.data()), in_order_(!fortran_order || to.rank() < 2) {
    if (in_order_) return;
    extents_.assign(to.extents().begin(), to.extents().end());
    const tensor_view<To> all = to.view();  // which the span of strides points into
    strides_.assign(all.strides().begin(), all.strides().end());
    index_.resize(to.rank());
  }

  template <class From>
  void take(const unsigned char* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, bytes += sizeof(From)) {
      From value;
      std::memcpy(&value, bytes, sizeof(From));
      *to_ = io_detail::converted<To>(value);
      if (in_order_)
        ++to_;
      else
        advance();
    }
  }

 private:
  // The file's first axis runs fastest.
  void advance() {
    for (std::size_t axis = 0; axis < index_.size(); ++axis) {
      to_ += strides_[axis];
      if (++index_[axis] < extents_[axis]) return;
      to_ -= strides_[axis] * static_cast<std::ptrdiff_t>(extents_[axis]);
      index_[axis] = 0;
    }
  }

  To* to_;
  bool in_order_;
  std::vector<std::size_t> extents_, index_ = {};
  std::vector<std::ptrdiff_t> strides_;
};

std::vector<std::size_t> extents_of(const npy_file& file) {
  return {file.dictionary().extents.begin(), file.dictionary().extents.end()};
}

template <class From, class To>
tensor<To> read_elements(const npy_file& file) {
  tensor<To> result(extents_of(file), uninitialized);
  const bool is_swapped = file.element().is_swapped;
  const bool fortran_order = file.dictionary().fortran_order;
  if constexpr (std::is_same_v<From, To>)
    if (!fortran_order || result.rank() < 2) {
      file.read(0, result.data(), result.size() * sizeof(To));
      if (is_swapped) io_detail::swap_bytes<To>(result.data(), result.size());
      return result;
    }
  placement<To> places(result, fortran_order);
  constexpr std::size_t block = block_bytes / sizeof(From);
  std::vector<unsigned char> bytes(std::min(block, result.size()) * sizeof(From));
  for (std::size_t first = 0; first < result.size(); first += block) {
    const std::size_t count = std::min(block, result.size() - first);
    file.read(first * sizeof(From), bytes.data(), count * sizeof(From));
    if (is_swapped) io_detail::swap_bytes<From>(bytes.data(), count);
    places.template take<From>(bytes.data(), count);
  }
  return result;
}

/// `visit` with an element of the file's type, after io_error for the types that are not read.
template <class Visit>
auto with_element(const npy_file& file, const Visit& visit) {
  using namespace io_detail;
  const npy_element& element = file.element();
  switch (element.kind * 100 + static_cast<int>(element.size_bytes)) {
    case 'b' * 100 + 1:
      return visit(npy_truth());
    case 'i' * 100 + 1:
      return visit(std::int8_t());
    case 'i' * 100 + 2:
      return visit(std::int16_t());
    case 'i' * 100 + 4:
      return visit(std::int32_t());
    case 'i' * 100 + 8:
      return visit(std::int64_t());
    case 'u' * 100 + 1:
      return visit(std::uint8_t());
    case 'u' * 100 + 2:
      return visit(std::uint16_t());
    case 'u' * 100 + 4:
      return visit(std::uint32_t());
    case 'u' * 100 + 8:
      return visit(std::uint64_t());
    case 'f' * 100 + 2:
      return visit(npy_half());
    case 'f' * 100 + 4:
      return visit(float());
    case 'f' * 100 + 8:
      return visit(double());
    case 'c' * 100 + 8:
      return visit(std::complex<float>());
    case 'c' * 100 + 16:
      return visit(std::complex<double>());
    default:
      break;
  }
  const bool is_long = (element.kind == 'f' && element.size_bytes > 8) ||
                       (element.kind == 'c' && element.size_bytes > 16);
  file.fail(base_detail::message(
      "element type \"", file.dictionary().element_type,
      is_long ? "\" is a long double, whose form depends on the machine" : "\" is not known"));
}

}  // namespace

std::string npy_description::floating_type() const {
  io_detail::npy_element element;
  io_detail::parse_npy_element(element_type, element);
  if (element.kind == 'c') return element.size_bytes == 8 ? "c8" : "c16";
  if (element.kind == 'f') return element.size_bytes <= 4 ? "f4" : "f8";
  return element.size_bytes <= 2 ? "f4" : "f8";
}

npy_description describe_npy(const std::filesystem::path& path) {
  const npy_file file(path);
  with_element(file, [](const auto&) {});
  return {extents_of(file), file.dictionary().element_type, file.dictionary().fortran_order};
}

npy_tensor read_npy(const std::filesystem::path& path) {
  const npy_file file(path);
  return with_element(file, [&]<class From>(const From&) -> npy_tensor {
    return read_elements<From, io_detail::npy_value_of<From>>(file);
  });
}

template <class T>
tensor<T> read_npy_as(const std::filesystem::path& path) {
  const npy_file file(path);
  return with_element(file, [&]<class From>(const From&) -> tensor<T> {
    if constexpr (io_detail::is_complex<From> && !io_detail::is_complex<T>)
      file.fail(base_detail::message("its elements are complex (\"", file.dictionary().element_type,
                                     "\"), real ones are asked for"));
    else
      return read_elements<From, T>(file);
  });
}

template tensor<float> read_npy_as(const std::filesystem::path&);
template tensor<double> read_npy_as(const std::filesystem::path&);
template tensor<std::complex<float>> read_npy_as(const std::filesystem::path&);
template tensor<std::complex<double>> read_npy_as(const std::filesystem::path&);

}  // namespace papilio
