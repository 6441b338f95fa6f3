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
  std::printf("%s\n%-8s %-12s %12s %8s %12s %8s %7s %6s %6s  %s\n", heading.c_str(), "class",
              "size", "papilio us", "GFLOPS", "FFTW us", "GFLOPS", "ratio", "floor", "share",
              "recipe");
  std::fflush(stdout);
}

void report::add(const bench_case& c, const result& r, double share) {
  const row& added = rows_.emplace_back(row{c, r, share});
  char floor[16] = "";
  if (c.floor > 0) std::snprintf(floor, sizeof floor, "%.2f", c.floor);
  std::printf("%-8s %-12s %12.4f %8.2f %12.4f %8.2f %6.2f%s %6s %5.0f%%  %s%s%s%s\n",
              c.group.c_str(), c.size.c_str(), 1e6 * r.our_seconds, 1e-9 * c.flop() / r.our_seconds,
              1e6 * r.peer_seconds, 1e-9 * c.flop() / r.peer_seconds, r.ratio(),
              r.is_quiet ? " " : "~", floor, 100 * share, r.recipe.c_str(),
              r.peer_is_measured ? "" : " (FFTW: estimate)", r.ratio() < c.floor ? " BELOW" : "",
              agrees(c, r) ? "" : " WRONG RESULT");
  if (!added.is_good() && !agrees(c, r))
    std::printf("%-21s the results differ by %.1e\n", "", r.difference);
  std::fflush(stdout);
}

std::vector<report::mean> report::means() const {
  std::vector<mean> all;
  for (const bench_case& c : all_cases()) {
    if (all.empty() || all.back().group != c.group)
      all.push_back({c.group, 0, mean_floor(c.group), 0, 0});
    ++all.back().rows_of_all;
  }
  for (mean& m : all) {
    for (const row& x : rows_)
      if (x.c.group == m.group) {
        m.ratio += std::log(x.r.ratio());
        ++m.rows;
      }
    if (m.rows > 0) m.ratio = std::exp(m.ratio / static_cast<double>(m.rows));
  }
  std::erase_if(all, [](const mean& m) { return m.rows == 0; });
  return all;
}

bool report::finish() {
  const std::vector<mean> all = means();
  std::printf("\n%-8s %-12s %7s %6s\n", "class", "sizes", "mean", "target");
  for (const mean& m : all) {
    const std::string sizes = std::to_string(m.rows) + " of " + std::to_string(m.rows_of_all);
    char floor[16] = "";
    if (m.floor > 0) std::snprintf(floor, sizeof floor, "%.2f", m.floor);
    std::printf("%-8s %-12s %7.2f %6s%s\n", m.group.c_str(), sizes.c_str(), m.ratio, floor,
                m.is_good() ? "" : " BELOW");
  }
  std::printf(
      "\nratio: FFTW's time over ours, medians of quiet blocks, CPU time of the thread; ~: too "
      "few\n"
      "blocks were quiet, the medians are of all. FFTW: estimate: the time limit was too short "
      "for\n"
      "MEASURE, and FFTW takes its estimate. Means: geometric; held to the target if complete.\n");
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
                 "\"gflops\": %.4g, \"ratio\": %.4g, \"floor\": %.4g, \"roofline_share\": %.4g, "
                 "\"quiet\": %s, \"fftw_measured\": %s, \"difference\": %.3g, \"recipe\": %s}",
                 comma, json_string(x.c.group).c_str(), json_string(x.c.size).c_str(),
                 x.r.our_seconds, x.r.peer_seconds, 1e-9 * x.c.flop() / x.r.our_seconds,
                 x.r.ratio(), x.c.floor, x.share, boolean(x.r.is_quiet),
                 boolean(x.r.peer_is_measured), x.r.difference, json_string(x.r.recipe).c_str());
    comma = ",\n";
  }
  std::fprintf(file, "],\n\"means\": [");
  comma = "\n";
  for (const mean& m : all) {
    std::fprintf(file,
                 "%s{\"class\": %s, \"ratio\": %.4g, \"target\": %.4g, \"sizes\": %zu, "
                 "\"complete\": %s}",
                 comma, json_string(m.group).c_str(), m.ratio, m.floor, m.rows,
                 boolean(m.is_complete()));
    comma = ",\n";
  }
  std::fprintf(file, "]\n}\n");
  if (std::fclose(file_.release()) != 0) throw std::runtime_error(json_ + " cannot be written");
}

}  // namespace papilio::bench
