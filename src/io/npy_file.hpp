#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace papilio::io_detail {

/// Contents of the header of a file.
struct npy_dictionary {
  std::string element_type = {};
  bool fortran_order = false;
  std::vector<std::uint64_t> extents = {};
};

/// Parses a header's text, a Python literal of three known keys in any order. Returns an empty
/// text, or the reason why it cannot, "its header ..." or "its shape ...".
std::string parse_npy_dictionary(std::string_view text, npy_dictionary& to);

/// Element type such as 'f' and 4, with the order of the bytes; kind is one of "biufc".
struct npy_element {
  char kind = 0;
  std::uint64_t size_bytes = 0;
  bool is_swapped = false;  ///< another order than the machine's
};

/// Parses a type string; returns false if it names no number of at most 64 bytes.
bool parse_npy_element(std::string_view type, npy_element& to);

/// Open file whose header was read, and which holds as many bytes as that says. Throws io_error as
/// npy_reader.
class npy_file {
 public:
  explicit npy_file(const std::filesystem::path& path);
  ~npy_file();
  npy_file(const npy_file&) = delete;
  npy_file& operator=(const npy_file&) = delete;

  const npy_dictionary& dictionary() const { return dictionary_; }
  const npy_element& element() const { return element_; }
  std::uint64_t size() const { return size_; }  ///< elements

  /// Reads bytes of the elements; offsets do not count the header.
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
