#include "support/npy_data.hpp"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace papilio::test {
namespace {

// "(3, 4), }" gives 3 and 4.
std::vector<std::size_t> extents_in(std::string text) {
  text = text.substr(text.find('(') + 1);
  text = text.substr(0, text.find(')'));
  std::istringstream words(text);
  std::vector<std::size_t> extents;
  for (std::string word; std::getline(words, word, ',');)
    if (word.find_first_of("0123456789") != std::string::npos) extents.push_back(std::stoul(word));
  return extents;
}

template <class T>
std::vector<double> values_in(const std::string& bytes, std::size_t first) {
  std::vector<double> values;
  for (std::size_t at = first; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    values.push_back(static_cast<double>(value));
  }
  return values;
}

}  // namespace

npy_data read_npy_data(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.size() < 10 || bytes.compare(0, 8, std::string("\x93NUMPY\x01\x00", 8)) != 0)
    throw std::runtime_error(path + ": no NPY file of version 1.0");
  const std::size_t first = 10 + static_cast<std::uint8_t>(bytes[8]) +
                            256 * static_cast<std::size_t>(static_cast<std::uint8_t>(bytes[9]));
  const std::string header = bytes.substr(10, first - 10);
  npy_data data{extents_in(header.substr(header.find("'shape'"))), {}};
  if (header.find("'fortran_order': False") == std::string::npos)
    throw std::runtime_error(path + ": not in C order");
  if (header.find("'<f8'") != std::string::npos)
    data.values = values_in<double>(bytes, first);
  else if (header.find("'<f4'") != std::string::npos)
    data.values = values_in<float>(bytes, first);
  else
    throw std::runtime_error(path + ": neither float nor double");
  std::size_t count = 1;
  for (const std::size_t e : data.extents) count *= e;
  if (count != data.values.size())
    throw std::runtime_error(path + ": holds another count than it says");
  return data;
}

}  // namespace papilio::test
