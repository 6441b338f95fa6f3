#include "io/npy_file.hpp"

#include <filesystem>

#include "io/npy_header.hpp"
#include "papilio/base/error.hpp"
#include "papilio/io.hpp"

namespace papilio {

struct npy_reader::state {
  explicit state(const std::filesystem::path& path) : file(path) {
    if (file.dictionary().fortran_order)
      file.fail("it is in Fortran order; save numpy.ascontiguousarray of it");
  }
  io_detail::npy_file file;
};

npy_reader::npy_reader(const std::filesystem::path& path) : state_(std::make_unique<state>(path)) {}
npy_reader::~npy_reader() = default;
npy_reader::npy_reader(npy_reader&&) noexcept = default;
npy_reader& npy_reader::operator=(npy_reader&&) noexcept = default;

const std::vector<std::uint64_t>& npy_reader::extents() const {
  return state_->file.dictionary().extents;
}
std::uint64_t npy_reader::size() const { return state_->file.size(); }
const std::string& npy_reader::element_type() const {
  return state_->file.dictionary().element_type;
}

template <class T>
bool npy_reader::holds() const {
  return element_type() == io_detail::npy_element_type<T>();
}

template <class T>
void npy_reader::read(std::uint64_t first, std::span<T> out) const {
  if (!holds<T>())
    throw invalid_argument(base_detail::message("npy_reader::read: elements are \"", element_type(),
                                                "\", not \"", io_detail::npy_element_type<T>(),
                                                "\""));
  if (first > size() || out.size() > size() - first)
    throw shape_error(base_detail::message("npy_reader::read: elements ", first, " ... ",
                                           first + out.size(), " are beyond the array's ", size()));
  state_->file.read(first * sizeof(T), out.data(), out.size_bytes());
}

#define PAPILIO_INSTANTIATE_NPY_READER(T)                 \
  template PAPILIO_API bool npy_reader::holds<T>() const; \
  template PAPILIO_API void npy_reader::read<T>(std::uint64_t, std::span<T>) const;
PAPILIO_INSTANTIATE_NPY_READER(float)
PAPILIO_INSTANTIATE_NPY_READER(double)
PAPILIO_INSTANTIATE_NPY_READER(std::complex<float>)
PAPILIO_INSTANTIATE_NPY_READER(std::complex<double>)
#undef PAPILIO_INSTANTIATE_NPY_READER

}  // namespace papilio
