#include "fftw_peer.hpp"

#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace papilio::bench {
namespace {

constexpr std::string_view gave_up_line = "# too slow to measure: ";

template <class T>
struct api;

template <>
struct api<float> {
  using complex = fftwf_complex;
  static constexpr auto c2c = fftwf_plan_many_dft;
  static constexpr auto r2c = fftwf_plan_many_dft_r2c;
  static constexpr auto c2r = fftwf_plan_many_dft_c2r;
  static constexpr auto limit = fftwf_set_timelimit;
  static constexpr auto destroy = fftwf_destroy_plan;
  static constexpr auto import_string = fftwf_import_wisdom_from_string;
  static constexpr auto export_string = fftwf_export_wisdom_to_string;
};

template <>
struct api<double> {
  using complex = fftw_complex;
  static constexpr auto c2c = fftw_plan_many_dft;
  static constexpr auto r2c = fftw_plan_many_dft_r2c;
  static constexpr auto c2r = fftw_plan_many_dft_c2r;
  static constexpr auto limit = fftw_set_timelimit;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto import_string = fftw_import_wisdom_from_string;
  static constexpr auto export_string = fftw_export_wisdom_to_string;
};

template <class T>
auto plan_for(const bench_case& c, T* in, T* out, unsigned flags) {
  using complex = typename api<T>::complex;
  const std::vector<int> n(c.extents.begin(), c.extents.end());
  const auto rank = static_cast<int>(n.size()), count = static_cast<int>(c.batch);
  const auto points = static_cast<int>(c.points()), bins = points / 2 + 1;
  auto* const complex_in = reinterpret_cast<complex*>(in);
  auto* const complex_out = reinterpret_cast<complex*>(out);
  switch (c.kind) {
    case shape::r2c:
      return api<T>::r2c(rank, n.data(), count, in, nullptr, 1, points, complex_out, nullptr, 1,
                         bins, flags);
    case shape::c2r:
      return api<T>::c2r(rank, n.data(), count, complex_in, nullptr, 1, bins, out, nullptr, 1,
                         points, flags);
    default:
      return api<T>::c2c(rank, n.data(), count, complex_in, nullptr, 1, points, complex_out,
                         nullptr, 1, points, FFTW_FORWARD, flags);
  }
}

template <class T>
std::string exported() {
  char* const text = api<T>::export_string();
  std::string result = text == nullptr ? "" : text;
  std::free(text);
  return result;
}

// The parts of a text between matching outermost parentheses; nothing where there is more than
// them.
std::optional<std::vector<std::string>> expressions(const std::string& text) {
  std::vector<std::string> found;
  int depth = 0;
  for (std::size_t i = 0, start = 0; i < text.size(); ++i) {
    if (depth == 0 && std::isspace(static_cast<unsigned char>(text[i]))) continue;
    if (text[i] == '(' && depth++ == 0) start = i;
    if (depth == 0) return std::nullopt;
    if (text[i] == ')' && --depth == 0) found.push_back(text.substr(start, i + 1 - start));
  }
  return depth == 0 ? std::optional(found) : std::nullopt;
}

}  // namespace

std::filesystem::path cache_folder() {
  if (const char* const folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder)
    return std::filesystem::path(folder) / "papilio";
  const char* const home = std::getenv("HOME");
  if (home == nullptr || !*home) throw std::runtime_error("neither XDG_CACHE_HOME nor HOME is set");
  return std::filesystem::path(home) / ".cache" / "papilio";
}

wisdom_file::wisdom_file(std::filesystem::path path) : path_(std::move(path)) { load(); }

void wisdom_file::load() {
  std::ifstream file(path_);
  if (!file) return;
  std::string line, wisdom;
  while (std::getline(file, line)) {
    if (line.starts_with(gave_up_line)) {
      gave_up_.insert(line.substr(gave_up_line.size()));
    } else {
      wisdom.append(line).append("\n");
    }
  }
  const auto parts = expressions(wisdom);
  bool is_good = parts.has_value();
  for (std::size_t i = 0; is_good && i < parts->size(); ++i) {
    const std::string& part = (*parts)[i];
    const bool is_float = part.find("fftwf_wisdom") != std::string::npos;
    is_good =
        (is_float ? api<float>::import_string : api<double>::import_string)(part.c_str()) != 0;
  }
  if (!is_good)
    throw std::runtime_error(path_.string() +
                             " is not wisdom of this FFTW: remove it, or give --wisdom FILE");
}

void wisdom_file::save() {
  load();  // what another run has added meanwhile
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path());
  const std::filesystem::path temporary =
      path_.string() + '.' + std::to_string(static_cast<long>(getpid()));
  std::ofstream file(temporary);
  for (const std::string& key : gave_up_) file << gave_up_line << key << '\n';
  file << exported<float>() << exported<double>();
  file.close();
  if (!file) throw std::runtime_error(temporary.string() + " cannot be written");
  std::filesystem::rename(temporary, path_);
}

template <class T>
fftw_peer<T>::fftw_peer(const bench_case& c, T* in, T* out, double limit_seconds,
                        wisdom_file& wisdom) {
  const std::string key = c.group + ' ' + c.size;
  plan_ = plan_for(c, in, out, FFTW_MEASURE | FFTW_WISDOM_ONLY);
  if (plan_ != nullptr) return;
  if (wisdom.gave_up(key)) {
    plan_ = plan_for(c, in, out, FFTW_ESTIMATE);
    is_measured_ = false;
  } else {
    api<T>::limit(limit_seconds);
    plan_ = plan_for(c, in, out, FFTW_MEASURE);
    // A plan for which the time was too short leaves no wisdom of MEASURE's kind.
    const auto again = plan_for(c, in, out, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    is_measured_ = again != nullptr;
    if (again != nullptr) api<T>::destroy(again);
    if (!is_measured_ && limit_seconds >= 60) wisdom.give_up(key);
    wisdom.save();
  }
  if (plan_ == nullptr) throw std::runtime_error("FFTW has no plan for " + key);
}

template <class T>
fftw_peer<T>::~fftw_peer() {
  api<T>::destroy(plan_);
}

template class fftw_peer<float>;
template class fftw_peer<double>;

}  // namespace papilio::bench
