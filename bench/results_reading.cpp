// Sentences that the numbers make.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "results_page.hpp"

namespace papilio::bench {
namespace {

using seconds_member = std::optional<double> result_row::*;

std::string label(const result_row& row) { return row.op + ' ' + row.shape; }

std::string number(double value, const char* format) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : "; ").append(name);
  return text.empty() ? "none" : text;
}

// "The device is faster in 2 of 30 rows: a; b."
std::string winners(const result_file& f, seconds_member device, const char* situation) {
  std::vector<std::string> names;
  int compared = 0;
  for (const result_row& row : f.rows) {
    if (!row.host_best() || !(row.*device)) continue;
    ++compared;
    if (*(row.*device) < *row.host_best()) names.push_back(label(row));
  }
  if (compared == 0) return {};
  return std::string("- ") + situation + " the device is modelled faster than this host in " +
         std::to_string(names.size()) + " of " + std::to_string(compared) +
         " rows: " + list_of(names) + ".\n";
}

double median_of(std::vector<double> v) {
  std::ranges::sort(v);
  return v[v.size() / 2];
}

std::string what_dominates(const result_file& f) {
  std::vector<double> shares, launches;
  std::size_t mostly = 0;
  for (const result_row& row : f.rows) {
    if (!row.device_warm || *row.device_warm <= 0 || !row.host_best()) continue;
    const double share = 1 - row.device_program.value_or(0) / *row.device_warm;
    shares.push_back(share);
    launches.push_back(row.device_launch.value_or(0));
    if (share > 0.9) ++mostly;
  }
  if (shares.empty()) return {};
  return "- Launch and copies are " + number(100 * median_of(shares), "%.0f") +
         " % of the device's time in the median row and above 90 % in " + std::to_string(mostly) +
         " of " + std::to_string(shares.size()) + "; a launch alone is " +
         time_text(median_of(launches)) + ", so that whatever the host does in less stays there.\n";
}

const result_row* find(const result_file& f, const std::string& op, const std::string& shape) {
  for (const result_row& row : f.rows)
    if (row.op == op && row.shape == shape) return &row;
  return nullptr;
}

std::string side_text(const std::optional<crossing>& c, const char* situation) {
  if (!c) return {};
  std::string text = std::string("; ") + situation + ' ';
  if (c->device_wins == 0) return text + "not up to " + std::to_string(c->host_wins);
  const double side = static_cast<double>(c->device_wins);
  return text + "from " + std::to_string(c->device_wins) + " on (" +
         number(2 * side * side * side * 1e-9, "%.2g") + " GFLOP)";
}

// The published gates compared multiplications: 2 and 0.9 thousand million of them.
std::string square_products(const result_file& f) {
  const result_row* const row = find(f, "einsum ij,jk->ik", "1024x1024x1024");
  if (row == nullptr || !row->crossing_warm) return {};
  return "- Square products of float matrices: against the modelled host (" + f.host_model +
         ") the device wins" + side_text(row->crossing_warm, "from the host and back").substr(1) +
         side_text(row->crossing_resident, "with resident operands") +
         ". The published system's gates are 2 and 0.9 thousand million multiplications, 4 and "
         "1.8 GFLOP in this page's count.\n";
}

std::string published_speedup(const result_file& f, const char* table, const char* what) {
  double sum = 0;
  int count = 0;
  for (const result_row& row : f.rows)
    if (row.table == table && row.published_note.empty() && row.published_device &&
        row.device_warm) {
      sum += std::log(*row.published_device * 1e-6 / *row.device_warm);
      ++count;
    }
  if (count == 0) return {};
  return std::string("- ") + what + ": modelled times of this library's kernels are shorter than " +
         "the published ones by a factor of " + number(std::exp(sum / count), "%.2f") +
         " (geometric mean of " + std::to_string(count) + " rows).\n";
}

std::string residency(const result_file& f) {
  const result_row* const once = find(f, "einsum ij,jk->ik", "2048x2048x2048");
  for (const result_row& row : f.rows)
    if (row.table == "residency" && once != nullptr && once->device_warm && row.device_warm)
      return "- Five products of 2048 x 2048 matrices that stay on the device take " +
             time_text(row.device_warm) + ", five calls from the host " +
             time_text(5 * *once->device_warm) + ": " +
             number(5 * *once->device_warm / *row.device_warm, "%.1f") + " times as long.\n";
  return {};
}

std::string blas_kernels(const result_file& f) {
  return "- Rows of products depend on OpenBLAS, which ran its kernels of " + f.blas_core +
         (f.blas_core_asked.empty() ? ", its own choice" : ", asked for by OPENBLAS_CORETYPE") +
         ". Where it does not know a processor it takes kernels of a much older one (\"Prescott\" "
         "has vectors of four floats) and such rows are several times as slow: set "
         "OPENBLAS_CORETYPE, and compare only what names the same.\n";
}

std::string load_of_host(const result_file& f) {
  if (f.load < 0.5) return {};
  return "- The host was not idle: " + number(f.load, "%.1f") +
         " processes ran or waited for its " + std::to_string(f.cores) +
         " cores when the run began. Times of one thread are CPU times " +
         "and suffer little; those of all threads are wall times and hold for such a computer " +
         "only.\n";
}

}  // namespace

std::string reading_of(const result_file& f) {
  return winners(f, &result_row::device_warm, "From the host and back") +
         winners(f, &result_row::device_resident, "With operands and results on the device") +
         what_dominates(f) + square_products(f) +
         published_speedup(f, "transforms", "Transforms and complex products") +
         published_speedup(f, "contractions", "Real products") + residency(f) + blas_kernels(f) +
         load_of_host(f) +
         "- What the published times consist of, and which of them the model does not explain "
         "(fused MP2, for which no factor is given: model stands against model there): "
         "[published.md](published.md).\n";
}

}  // namespace papilio::bench
