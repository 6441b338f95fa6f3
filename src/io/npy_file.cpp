#include "io/npy_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "papilio/base/error.hpp"

namespace papilio::io_detail {
namespace {

constexpr std::size_t magic_bytes = 6;
constexpr std::size_t longest_header_bytes = std::size_t{1} << 16;
constexpr std::size_t highest_rank = 32;

/// Why elements of such a type are not read.
std::string refusal_of(const std::string& type) {
  if (type == "|O" || type == "O") return "its elements are Python objects, which are not read";
  std::string shown;
  for (const char c : type.substr(0, 40)) shown += c >= ' ' && c <= '~' ? c : '?';
  return base_detail::message("element type \"", shown, "\" is not known");
}

}  // namespace

npy_file::npy_file(const std::filesystem::path& path) : name_(path.string()) {
  try {
    open();
    const std::string reason = parse_npy_dictionary(header_text(), dictionary_);
    if (!reason.empty()) fail(reason);
    check_size();
  } catch (...) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw;
  }
}

npy_file::~npy_file() { ::close(descriptor_); }

void npy_file::fail(const std::string& reason) const { throw io_error(name_, reason); }

// Without O_NONBLOCK a FIFO would wait for a writer.
void npy_file::open() {
  descriptor_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0)
    fail(std::generic_category().message(errno));
  if (S_ISDIR(status.st_mode)) fail(std::generic_category().message(EISDIR));
  if (!S_ISREG(status.st_mode)) fail("it is no regular file");
  file_bytes_ = static_cast<std::uint64_t>(status.st_size);
  if (file_bytes_ == 0) fail("the file is empty");
}

std::string npy_file::header_text() {
  unsigned char start[12] = {};
  const std::uint64_t there = std::min<std::uint64_t>(sizeof start, file_bytes_);
  read_at(0, start, there);
  if (there < 10 || std::memcmp(start, "\x93NUMPY", magic_bytes) != 0) fail("it is no NPY file");
  const unsigned major = start[6];
  if (major < 1 || major > 3 || start[7] != 0)
    fail(base_detail::message("NPY version ", major, ".", unsigned{start[7]}, " is not known"));
  std::uint64_t length = start[8] + 256u * start[9];
  data_at_ = 10;
  if (major > 1) {
    if (there < 12) fail("it ends within its header");
    length += (std::uint64_t{start[10]} << 16) + (std::uint64_t{start[11]} << 24);
    data_at_ = 12;
  }
  if (length > longest_header_bytes)
    fail(base_detail::message("its header claims ", length, " bytes; at most ",
                              longest_header_bytes, " are read"));
  if (length > file_bytes_ - data_at_) fail("it ends within its header");
  std::string text(length, '\0');
  read_at(data_at_, text.data(), length);
  data_at_ += length;
  return text;
}

void npy_file::check_size() {
  const std::vector<std::uint64_t>& extents = dictionary_.extents;
  if (extents.size() > highest_rank)
    fail(base_detail::message("its rank is ", extents.size(), ", over ", highest_rank));
  if (!parse_npy_element(dictionary_.element_type, element_))
    fail(refusal_of(dictionary_.element_type));
  // If one extent is 0, the others may be anything.
  const bool is_empty = std::ranges::find(extents, std::uint64_t{0}) != extents.end();
  try {
    size_ = is_empty ? 0 : 1;
    if (!is_empty)
      for (const std::uint64_t extent : extents) size_ = checked_multiply(size_, extent, "shape");
    const std::uint64_t promised = checked_multiply(size_, element_.size_bytes, "shape");
    if (promised != file_bytes_ - data_at_)
      fail(base_detail::message("its header promises ", promised, " bytes of elements, it holds ",
                                file_bytes_ - data_at_));
  } catch (const resource_error&) {
    fail("its shape is beyond any file");
  }
}

void npy_file::read(std::uint64_t offset_bytes, void* to, std::uint64_t size_bytes) const {
  read_at(data_at_ + offset_bytes, to, size_bytes);
}

void npy_file::read_at(std::uint64_t offset_bytes, void* to, std::uint64_t size_bytes) const {
  char* bytes = static_cast<char*>(to);
  while (size_bytes > 0) {
    const ssize_t got = ::pread(descriptor_, bytes, size_bytes, static_cast<off_t>(offset_bytes));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(std::generic_category().message(errno));
    if (got == 0) fail("it became shorter while it was read");
    bytes += got;
    offset_bytes += static_cast<std::uint64_t>(got);
    size_bytes -= static_cast<std::uint64_t>(got);
  }
}

}  // namespace papilio::io_detail
