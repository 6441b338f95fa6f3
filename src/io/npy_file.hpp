#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace papilio::io_detail {

/// What the header of a file says.
struct npy_dictionary {
  std::string element_type = {};
  bool fortran_order = false;
  std::vector<std::uint64_t> extents = {};
};

/// Takes a header's text, a Python literal of three known keys in any order; otherwise the return
/// is why not, "its header ..." or "its shape ...".
std::string parse_npy_dictionary(std::string_view text, npy_dictionary& to);

/// 'f' and 4, with the order of the bytes; kind is one of "biufc".
struct npy_element {
  char kind = 0;
  std::uint64_t size_bytes = 0;
  bool is_swapped = false;  ///< another order than the machine's
};

/// False where a type string is none of a number of at most 64 bytes.
bool parse_npy_element(std::string_view type, npy_element& to);

/// An open file whose header was read and holds as many bytes as it says. io_error as npy_reader.
class npy_file {
 public:
  explicit npy_file(const std::filesystem::path& path);
  ~npy_file();
  npy_file(const npy_file&) = delete;
  npy_file& operator=(const npy_file&) = delete;

  const npy_dictionary& dictionary() const { return dictionary_; }
  const npy_element& element() const { return element_; }
  std::uint64_t size() const { return size_; }  ///< elements

  /// Of the elements, not of the header.
  void read(std::uint64_t offset_bytes, void* to, std::uint64_t size_bytes) const;

  [[noreturn]] void fail(const std::string& reason) const;

 private:
  void open();
  std::string header_text();
  void check_size();
  void read_at(std::uint64_t offset_bytes, void* to, std::uint64_t size_bytes) const;

  std::string name_;
  int descriptor_ = -1;
  std::uint64_t file_bytes_ = 0, data_at_ = 0, size_ = 0;
  npy_dictionary dictionary_;
  npy_element element_;
};

}  // namespace papilio::io_detail
