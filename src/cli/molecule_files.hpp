#pragma once

#include <filesystem>

#include "cli/json_value.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/dispatch/device_array.hpp"

namespace papilio::cli {

/// A folder with the arrays of a molecule. What is missing is named by an io_error, all of it at
/// once.
class molecule_files {
 public:
  explicit molecule_files(std::string folder) : folder_(std::move(folder)) {}

  bool has(const std::string& name) const {
    std::error_code none;
    return std::filesystem::exists(path(name), none);
  }
  std::string path(const std::string& name) const {
    return (std::filesystem::path(folder_) / name).string();
  }
  /// `other` would do for the first.
  void require(const std::vector<std::string>& names, const std::string& other = {}) const;

  /// The array, of `rank` axes that `axes` names in the io_error otherwise.
  template <class T>
  tensor<T> read(const std::string& name, std::size_t rank, const char* axes) const;

  /// manifest.json; an empty object if there is none, io_error if it is no object.
  json_value manifest() const;

 private:
  std::string folder_;
};

/// Arrays of one spin's orbitals, read or transformed.
template <class T>
struct spin_arrays {
  std::string suffix;                  ///< of the names of files: "", or "_a" and "_b"
  tensor<T> b;                         ///< [nocc, nvir, naux]
  device_array<float, 3> b_on_device;  ///< instead of b, where an accelerator made it
  std::vector<double> eps_occupied, eps_virtual;

  std::size_t extent(std::size_t axis) const {
    return b_on_device.is_empty() ? b.extent(axis) : b_on_device.extent(axis);
  }
};

/// Occupied orbitals of each spin.
struct occupation {
  std::size_t alpha = 0, beta = 0;
};

struct molecule_source {
  bool from_ao = false;
  std::optional<occupation> occupied;  ///< told, for integrals over atomic orbitals
  std::size_t memory_bytes = 0;
  int threads = 0;
  accelerator* device = nullptr;  ///< makes B of integrals over atomic orbitals, and keeps it
};

template <class T>
struct molecule {
  std::vector<spin_arrays<T>> spins;   ///< one of a closed shell, or two
  std::vector<std::string> integrals;  ///< names of the files that B is of
};

/// B_iaQ, or Ba_iaQ and Bb_iaQ, as they are; or from AO_mnQ or AO_tril_Q, metric_PQ and C, or C_a
/// and C_b, in double and then rounded to T, or by an accelerator in float. With eps, or eps_a and
/// eps_b. io_error naming the file whose shape does not fit the others.
template <class T>
molecule<T> read_molecule(const molecule_files& files, const molecule_source& source);

}  // namespace papilio::cli
