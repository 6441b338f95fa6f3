#pragma once

#include <fftw3.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "cases.hpp"

namespace papilio::bench {

template <class T>
struct fftw_api;

template <>
struct fftw_api<float> {
  using plan = fftwf_plan;
  using complex = fftwf_complex;
  static constexpr const char* wisdom = "fftwf_wisdom.txt";
  static constexpr auto c2c = fftwf_plan_many_dft;
  static constexpr auto r2c = fftwf_plan_many_dft_r2c;
  static constexpr auto c2r = fftwf_plan_many_dft_c2r;
  static constexpr auto execute = fftwf_execute;
  static constexpr auto destroy = fftwf_destroy_plan;
  static constexpr auto limit = fftwf_set_timelimit;
  static constexpr auto import_wisdom = fftwf_import_wisdom_from_filename;
  static constexpr auto export_wisdom = fftwf_export_wisdom_to_filename;
};

template <>
struct fftw_api<double> {
  using plan = fftw_plan;
  using complex = fftw_complex;
  static constexpr const char* wisdom = "fftw_double_wisdom.txt";
  static constexpr auto c2c = fftw_plan_many_dft;
  static constexpr auto r2c = fftw_plan_many_dft_r2c;
  static constexpr auto c2r = fftw_plan_many_dft_c2r;
  static constexpr auto execute = fftw_execute;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto limit = fftw_set_timelimit;
  static constexpr auto import_wisdom = fftw_import_wisdom_from_filename;
  static constexpr auto export_wisdom = fftw_export_wisdom_to_filename;
};

/// $XDG_CACHE_HOME/papilio, else ~/.cache/papilio.
inline std::filesystem::path cache_folder() {
  if (const char* const folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder)
    return std::filesystem::path(folder) / "papilio";
  const char* const home = std::getenv("HOME");
  if (home == nullptr || !*home) throw std::runtime_error("neither XDG_CACHE_HOME nor HOME is set");
  return std::filesystem::path(home) / ".cache" / "papilio";
}

/// FFTW planned with MEASURE for a case on these operands, within `limit_seconds`: where that is
/// too short FFTW takes its ESTIMATE, which is_measured() tells. Its wisdom is kept in
/// cache_folder(). Planning overwrites the operands; so may executing with the input of c2r.
template <class T>
class fftw_peer {
 public:
  fftw_peer(const bench_case& c, T* in, T* out, double limit_seconds = 60) {
    const std::string wisdom = cache_folder() / api::wisdom;
    api::import_wisdom(wisdom.c_str());  // none at first
    plan_ = plan_of(c, in, out, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    if (plan_ != nullptr) return;
    api::limit(limit_seconds);
    plan_ = plan_of(c, in, out, FFTW_MEASURE);
    if (plan_ == nullptr) throw std::runtime_error("FFTW has no plan for " + c.size);
    // A plan for which the time was too short leaves no wisdom of MEASURE's kind.
    const auto again = plan_of(c, in, out, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    is_measured_ = again != nullptr;
    if (is_measured_) api::destroy(again);
    std::filesystem::create_directories(cache_folder());
    if (api::export_wisdom(wisdom.c_str()) == 0)
      throw std::runtime_error(wisdom + " cannot be written");
  }
  fftw_peer(const fftw_peer&) = delete;
  fftw_peer& operator=(const fftw_peer&) = delete;
  ~fftw_peer() { api::destroy(plan_); }

  bool is_measured() const { return is_measured_; }
  void operator()() const { api::execute(plan_); }

 private:
  using api = fftw_api<T>;

  static typename api::plan plan_of(const bench_case& c, T* in, T* out, unsigned flags) {
    const std::vector<int> n(c.extents.begin(), c.extents.end());
    const auto rank = static_cast<int>(n.size()), count = static_cast<int>(c.batch);
    const auto points = static_cast<int>(c.points()), bins = points / 2 + 1;
    auto* const complex_in = reinterpret_cast<typename api::complex*>(in);
    auto* const complex_out = reinterpret_cast<typename api::complex*>(out);
    if (c.kind == shape::r2c)
      return api::r2c(rank, n.data(), count, in, nullptr, 1, points, complex_out, nullptr, 1, bins,
                      flags);
    if (c.kind == shape::c2r)
      return api::c2r(rank, n.data(), count, complex_in, nullptr, 1, bins, out, nullptr, 1, points,
                      flags);
    return api::c2c(rank, n.data(), count, complex_in, nullptr, 1, points, complex_out, nullptr, 1,
                    points, FFTW_FORWARD, flags);
  }

  typename api::plan plan_ = nullptr;
  bool is_measured_ = true;
};

}  // namespace papilio::bench
