#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace papilio::bench {

report::report(std::string json, const std::string& heading)
    : json_(std::move(json)), heading_(heading) {
  if (!json_.empty()) {
    file_.reset(std::fopen(json_.c_str(), "w"));
    if (!file_) throw std::runtime_error(json_ + " cannot be written");
  }
  std::printf("%s\n%-8s %-12s %12s %8s %7s %7s %6s  %s\n", heading.c_str(), "class", "size",
              "papilio us", "GFLOPS", "FFTW", "MKL", "share", "recipe");
  std::fflush(stdout);
}

void report::add(const bench_case& c, const result& r, double share) {
  const row& added = rows_.emplace_back(row{c, r, share});
  char mkl[16] = "";
  if (r.has_mkl()) std::snprintf(mkl, sizeof mkl, "%.2f", r.of_mkl());
  std::printf("%-8s %-12s %12.4f %8.2f %6.2f%s %7s %5.0f%%  %s%s%s%s\n", c.group.c_str(),
              c.size.c_str(), 1e6 * r.our_seconds, 1e-9 * c.flop() / r.our_seconds, r.of_fftw(),
              r.is_quiet ? " " : "~", mkl, 100 * share, r.recipe.c_str(),
              r.fftw_is_measured ? "" : " (FFTW: estimate)", added.is_slow() ? " BELOW" : "",
              agrees(c, r) ? "" : " WRONG RESULT");
  if (!agrees(c, r)) std::printf("%-21s the results differ by %.1e\n", "", r.difference);
  std::fflush(stdout);
}

std::vector<report::mean> report::means() const {
  std::vector<mean> all;
  for (const bench_case& c : all_cases()) {
    if (all.empty() || all.back().group != c.group) all.push_back({c.group, 0, 0, 0, 0, 0, 0});
    ++all.back().rows_of_all;
  }
  for (mean& m : all) {
    for (const row& x : rows_)
      if (x.c.group == m.group) {
        m.of_fftw += std::log(x.r.of_fftw());
        m.of_mkl += std::log(x.r.has_mkl() ? x.r.of_mkl() : 1);
        m.of_faster += std::log(x.r.of_faster());
        m.worst = m.rows == 0 ? x.r.of_faster() : std::min(m.worst, x.r.of_faster());
        ++m.rows;
      }
    for (double* const sum : {&m.of_fftw, &m.of_mkl, &m.of_faster})
      if (m.rows > 0) *sum = std::exp(*sum / static_cast<double>(m.rows));
  }
  std::erase_if(all, [](const mean& m) { return m.rows == 0; });
  return all;
}

bool report::finish() {
  const std::vector<mean> all = means();
  const bool has_mkl = !rows_.empty() && rows_.front().r.has_mkl();
  std::printf("\n%-8s %-12s %6s %6s %7s %6s %6s\n", "class", "sizes", "FFTW", "MKL", "faster",
              "worst", "least");
  for (const mean& m : all) {
    const std::string sizes = std::to_string(m.rows) + " of " + std::to_string(m.rows_of_all);
    char mkl[16] = "";
    if (has_mkl) std::snprintf(mkl, sizeof mkl, "%.2f", m.of_mkl);
    std::printf("%-8s %-12s %6.2f %6s %7.2f %6.2f %6.2f%s\n", m.group.c_str(), sizes.c_str(),
                m.of_fftw, mkl, m.of_faster, m.worst, least_mean(m.group),
                m.is_good() ? "" : " BELOW");
  }
  std::printf(
      "\nFFTW, MKL: the peer's time over papilio's, medians of quiet blocks, CPU time of the "
      "thread; ~: too\n"
      "few blocks were quiet, the medians are of all. FFTW: estimate: the time limit was too short "
      "for\n"
      "MEASURE, and FFTW takes its estimate. BELOW: under %.2f of FFTW or %.2f of MKL. Means: "
      "geometric,\n"
      "and to the faster of the two, which is held to the least (smooth: FFTW) if complete.\n",
      least_of_fftw, least_of_mkl);
  if (!json_.empty()) write_json(all);
  return std::ranges::all_of(rows_, &row::is_good) && std::ranges::all_of(all, &mean::is_good);
}

namespace {

std::string json_string(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result + '"';
}

const char* boolean(bool value) { return value ? "true" : "false"; }

}  // namespace

void report::write_json(const std::vector<mean>& all) {
  std::FILE* const file = file_.get();
  std::fprintf(file, "{\n\"machine\": %s,\n\"rows\": [", json_string(heading_).c_str());
  const char* comma = "\n";
  for (const row& x : rows_) {
    std::fprintf(file,
                 "%s{\"class\": %s, \"size\": %s, \"seconds\": %.6g, \"fftw_seconds\": %.6g, "
                 "\"mkl_seconds\": %.6g, \"gflops\": %.4g, \"roofline_share\": %.4g, "
                 "\"quiet\": %s, \"fftw_measured\": %s, \"difference\": %.3g, \"recipe\": %s}",
                 comma, json_string(x.c.group).c_str(), json_string(x.c.size).c_str(),
                 x.r.our_seconds, x.r.fftw_seconds, x.r.mkl_seconds,
                 1e-9 * x.c.flop() / x.r.our_seconds, x.share, boolean(x.r.is_quiet),
                 boolean(x.r.fftw_is_measured), x.r.difference, json_string(x.r.recipe).c_str());
    comma = ",\n";
  }
  std::fprintf(file, "],\n\"means\": [");
  comma = "\n";
  for (const mean& m : all) {
    std::fprintf(file,
                 "%s{\"class\": %s, \"fftw\": %.4g, \"faster\": %.4g, \"worst\": %.4g, "
                 "\"least\": %.4g, \"sizes\": %zu, \"complete\": %s}",
                 comma, json_string(m.group).c_str(), m.of_fftw, m.of_faster, m.worst,
                 least_mean(m.group), m.rows, boolean(m.is_complete()));
    comma = ",\n";
  }
  std::fprintf(file, "]\n}\n");
  if (std::fclose(file_.release()) != 0) throw std::runtime_error(json_ + " cannot be written");
}

}  // namespace papilio::bench
