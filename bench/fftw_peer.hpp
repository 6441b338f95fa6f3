#pragma once

#include <fftw3.h>

#include <filesystem>
#include <set>
#include <string>
#include <type_traits>

#include "cases.hpp"

namespace papilio::bench {

/// FFTW's wisdom of both precisions in one text file, so that later runs plan at once, and a list
/// of the problems for which the time limit was too short.
class wisdom_file {
 public:
  /// Reads `path` if it is there; std::runtime_error if it is not wisdom of this FFTW.
  explicit wisdom_file(std::filesystem::path path);

  bool gave_up(const std::string& key) const { return gave_up_.contains(key); }
  void give_up(const std::string& key) { gave_up_.insert(key); }

  /// Adds what this process knows to the file. std::runtime_error if it cannot be written.
  void save();

 private:
  void load();

  std::filesystem::path path_;
  std::set<std::string> gave_up_;
};

/// $XDG_CACHE_HOME/papilio, else ~/.cache/papilio.
std::filesystem::path cache_folder();

/// FFTW planned with MEASURE for a case on these operands, within `limit_seconds`. Where that time
/// is too short FFTW itself falls back to its ESTIMATE plan; is_measured() tells. Planning
/// overwrites the operands; so may executing with the input of c2r.
template <class T>
class fftw_peer {
 public:
  fftw_peer(const bench_case& c, T* in, T* out, double limit_seconds, wisdom_file& wisdom);
  fftw_peer(const fftw_peer&) = delete;
  fftw_peer& operator=(const fftw_peer&) = delete;
  ~fftw_peer();

  bool is_measured() const { return is_measured_; }
  void operator()() const {
    if constexpr (std::is_same_v<T, float>) {
      fftwf_execute(plan_);
    } else {
      fftw_execute(plan_);
    }
  }

 private:
  std::conditional_t<std::is_same_v<T, float>, fftwf_plan, fftw_plan> plan_ = nullptr;
  bool is_measured_ = true;
};

extern template class fftw_peer<float>;
extern template class fftw_peer<double>;

}  // namespace papilio::bench
