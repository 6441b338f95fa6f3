#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <system_error>

#include "io/npy_header.hpp"
#include "papilio/base/checked.hpp"
#include "papilio/io/npy_regions.hpp"

namespace papilio {
namespace {

constexpr std::size_t magic_bytes = 6;
constexpr std::size_t longest_header_bytes = std::size_t{1} << 16;
constexpr std::size_t highest_rank = 32;

/// The dictionary of a header, a Python literal of three known keys in any order.
class dictionary_parser {
 public:
  explicit dictionary_parser(std::string_view text) : rest_(text) {}

  /// False where the text is not such a dictionary.
  bool parse() {
    if (!take('{')) return false;
    while (!take('}')) {
      const std::optional<std::string> key = quoted();
      if (!key || !take(':') || !value_of(*key)) return false;
      if (!take(',') && !peek('}')) return false;
    }
    skip_space();
    return rest_.empty() && element_type && fortran_order && extents;
  }

  std::optional<std::string> element_type;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> extents;

 private:
  void skip_space() {
    while (!rest_.empty() && std::strchr(" \t\r\n", rest_.front()) != nullptr && rest_.front() != 0)
      rest_.remove_prefix(1);
  }
  bool peek(char c) {
    skip_space();
    return !rest_.empty() && rest_.front() == c;
  }
  bool take(char c) {
    if (!peek(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::string> quoted() {
    skip_space();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return std::nullopt;
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  // A key that comes twice is refused: readers would differ on which one counts.
  bool value_of(const std::string& key) {
    if (key == "descr" && !element_type) {
      element_type = quoted();
      return element_type.has_value();
    }
    if (key == "fortran_order" && !fortran_order) {
      if (take_word("True")) fortran_order = true;
      if (!fortran_order && take_word("False")) fortran_order = false;
      return fortran_order.has_value();
    }
    return key == "shape" && !extents && tuple();
  }

  bool tuple() {
    if (!take('(')) return false;
    extents.emplace();
    while (!take(')')) {
      std::uint64_t extent = 0;
      skip_space();
      const auto [end, failure] =
          std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (failure != std::errc()) return false;
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      extents->push_back(extent);
      const bool comma = take(',');
      if (!comma && (!peek(')') || extents->size() == 1)) return false;
    }
    return true;
  }

  std::string_view rest_;
};

/// Bytes of an element by its type string; 0 where it is none of a fixed size.
std::uint64_t element_bytes(std::string_view type) {
  if (type.size() < 3 || std::strchr("<>|=", type[0]) == nullptr ||
      std::strchr("biufc", type[1]) == nullptr)
    return 0;
  std::uint64_t bytes = 0;
  const auto [end, failure] = std::from_chars(type.data() + 2, type.data() + type.size(), bytes);
  return failure == std::errc() && end == type.data() + type.size() && bytes <= 64 ? bytes : 0;
}

}  // namespace

struct npy_reader::state {
  explicit state(const std::filesystem::path& path) : name(path.string()) {}
  ~state() {
    if (descriptor >= 0) ::close(descriptor);
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  [[noreturn]] void fail(const std::string& reason) const { throw io_error(name, reason); }

  std::string name;
  int descriptor = -1;
  std::uint64_t file_bytes = 0, data_at = 0, size = 0;
  std::string element_type;
  std::vector<std::uint64_t> extents;

  void open();
  std::string header_text(const npy_reader& reader);
  void take_header(const std::string& text);
};

// Without O_NONBLOCK a FIFO would wait for a writer.
void npy_reader::state::open() {
  descriptor = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0)
    fail(std::generic_category().message(errno));
  if (S_ISDIR(status.st_mode)) fail(std::generic_category().message(EISDIR));
  if (!S_ISREG(status.st_mode)) fail("it is no regular file");
  file_bytes = static_cast<std::uint64_t>(status.st_size);
  if (file_bytes == 0) fail("the file is empty");
}

std::string npy_reader::state::header_text(const npy_reader& reader) {
  unsigned char start[12] = {};
  const std::uint64_t there = std::min<std::uint64_t>(sizeof start, file_bytes);
  reader.read_bytes(0, start, there);
  if (there < 10 || std::memcmp(start, "\x93NUMPY", magic_bytes) != 0) fail("it is no NPY file");
  const unsigned major = start[6];
  if (major < 1 || major > 3 || start[7] != 0)
    fail(base_detail::message("NPY version ", major, ".", unsigned{start[7]}, " is not known"));
  std::uint64_t length = start[8] + 256u * start[9];
  data_at = 10;
  if (major > 1) {
    if (there < 12) fail("it ends within its header");
    length += (std::uint64_t{start[10]} << 16) + (std::uint64_t{start[11]} << 24);
    data_at = 12;
  }
  if (length > longest_header_bytes)
    fail(base_detail::message("its header claims ", length, " bytes; at most ",
                              longest_header_bytes, " are read"));
  if (length > file_bytes - data_at) fail("it ends within its header");
  std::string text(length, '\0');
  reader.read_bytes(data_at, text.data(), length);
  data_at += length;
  return text;
}

void npy_reader::state::take_header(const std::string& text) {
  dictionary_parser dictionary(text);
  if (!dictionary.parse()) fail("its header is not that of an NPY array of one element type");
  element_type = *dictionary.element_type;
  extents = *dictionary.extents;
  if (*dictionary.fortran_order) fail("it is in Fortran order; save numpy.ascontiguousarray of it");
  if (extents.size() > highest_rank)
    fail(base_detail::message("its rank is ", extents.size(), ", over ", highest_rank));
  const std::uint64_t bytes = element_bytes(element_type);
  if (bytes == 0) fail(base_detail::message("element type \"", element_type, "\" is not known"));
  try {
    size = 1;
    for (const std::uint64_t extent : extents) size = checked_multiply(size, extent, "shape");
    const std::uint64_t promised = checked_multiply(size, bytes, "shape");
    if (promised != file_bytes - data_at)
      fail(base_detail::message("its header promises ", promised, " bytes of elements, it holds ",
                                file_bytes - data_at));
  } catch (const resource_error&) {
    fail("its shape is beyond any file");
  }
}

npy_reader::npy_reader(const std::filesystem::path& path) : state_(std::make_unique<state>(path)) {
  state_->open();
  state_->take_header(state_->header_text(*this));
}
npy_reader::~npy_reader() = default;
npy_reader::npy_reader(npy_reader&&) noexcept = default;
npy_reader& npy_reader::operator=(npy_reader&&) noexcept = default;

const std::vector<std::uint64_t>& npy_reader::extents() const { return state_->extents; }
std::uint64_t npy_reader::size() const { return state_->size; }
const std::string& npy_reader::element_type() const { return state_->element_type; }

void npy_reader::read_bytes(std::uint64_t offset_bytes, void* to, std::uint64_t size_bytes) const {
  char* bytes = static_cast<char*>(to);
  while (size_bytes > 0) {
    const ssize_t got =
        ::pread(state_->descriptor, bytes, size_bytes, static_cast<off_t>(offset_bytes));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) state_->fail(std::generic_category().message(errno));
    if (got == 0) state_->fail("it became shorter while it was read");
    bytes += got;
    offset_bytes += static_cast<std::uint64_t>(got);
    size_bytes -= static_cast<std::uint64_t>(got);
  }
}

template <class T>
bool npy_reader::holds() const {
  return state_->element_type == io_detail::npy_element_type<T>();
}

template <class T>
void npy_reader::read(std::uint64_t first, std::span<T> out) const {
  if (!holds<T>())
    throw invalid_argument(base_detail::message("npy_reader::read: elements are \"",
                                                state_->element_type, "\", not \"",
                                                io_detail::npy_element_type<T>(), "\""));
  if (first > state_->size || out.size() > state_->size - first)
    throw shape_error(base_detail::message("npy_reader::read: elements ", first, " ... ",
                                           first + out.size(), " are beyond the array's ",
                                           state_->size));
  read_bytes(state_->data_at + first * sizeof(T), out.data(), out.size_bytes());
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
