// Fits the constants of engine::sdk_2_24 and engine::sdk_2_29 that no probe has, and the published
// host terms, to the rows of the published table that name the SDK and have the role fit, and for
// SDK 2.24 to the one published probe of large copies: least squares of the relative residuals,
// none of the constants below 0. The device's time in each row is what the model has for the
// published kernel. Where the large rate of SDK 2.24 begins is tried in steps. Prints the constants,
// and the residuals that they leave on the rows of either role. Takes minutes: the table is modelled
// anew for each constant and step.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/published/published_table.hpp"
#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"

namespace {

using namespace papilio;
using namespace papilio::kernels::published;
using runtime = engine::runtime_spec;
using host = published_host_terms;

struct constant {
  const char* name;
  std::function<double&(runtime&, host&)> in;
};

/// A copy to the device that was timed by itself.
struct upload_probe {
  std::size_t tensors;
  double bytes, us;
};

struct fit {
  const char* sdk;
  runtime preset;
  std::vector<constant> constants;
  std::vector<upload_probe> probes;
  std::vector<double> large_megabytes;  ///< that are tried; none: the preset's
};

constant of_runtime(const char* name, double runtime::*member) {
  return {name, [member](runtime& r, host&) -> double& { return r.*member; }};
}
constant of_host(const char* name, double host::*member) {
  return {name, [member](runtime&, host& h) -> double& { return h.*member; }};
}

std::vector<fit> fits() {
  return {{.sdk = "2.24",
           .preset = engine::sdk_2_24(),
           .constants = {of_runtime("launch_us", &runtime::launch_us),
                         of_runtime("host_to_device_us", &runtime::host_to_device_us),
                         of_runtime("host_to_device_large_us_per_mb",
                                    &runtime::host_to_device_large_us_per_mb),
                         of_runtime("device_to_host_us_per_mb", &runtime::device_to_host_us_per_mb),
                         of_host("bit_reversal_us", &host::bit_reversal_us),
                         of_host("chirp_us", &host::chirp_us)},
           // trntensor's table of steps: both operands of a 2048 x 2048 product.
           .probes = {{.tensors = 2, .bytes = 2 * 2048.0 * 2048 * 4, .us = 7282}},
           .large_megabytes = {4.2, 6.0, 8.0, 9.0, 10.0, 12.0, 16.0}},
          {.sdk = "2.29",
           .preset = engine::sdk_2_29(),
           .constants = {of_runtime("blocking_fetch_us", &runtime::blocking_fetch_us),
                         of_host("stockham_stage_us", &host::stockham_stage_us)},
           .probes = {},
           .large_megabytes = {}}};
}

/// The published times of rows and probes, and the modelled ones: fixed + sum of constant * slope.
struct problem {
  double large_bytes;
  std::vector<const table_row*> rows;  // null: a probe
  std::vector<double> measured, fixed;
  std::vector<std::vector<double>> slopes;

  bool is_fitted(std::size_t k) const {
    return rows[k] == nullptr || rows[k]->role == row_role::fit;
  }
};

struct modelled {
  std::vector<const table_row*> rows;
  std::vector<double> us;
};

modelled model_with(const fit& of, double large_bytes, const std::vector<double>& values) {
  runtime with = of.preset;
  with.host_to_device_large_bytes = large_bytes;
  host terms;
  for (std::size_t i = 0; i < values.size(); ++i) of.constants[i].in(with, terms) = values[i];
  modelled m;
  for (const modelled_row& r : model_table(engine::trainium1(), with, terms)) {
    if (r.row->sdk != of.sdk) continue;
    m.rows.push_back(r.row);
    m.us.push_back(r.modelled_us());
  }
  for (const upload_probe& probe : of.probes) {
    m.rows.push_back(nullptr);
    m.us.push_back(with.upload_us(probe.tensors, probe.bytes));
  }
  return m;
}

// The model is linear in its constants: slopes are differences of two.
problem make_problem(const fit& of, double large_bytes) {
  const std::vector<double> none(of.constants.size());
  const modelled zero = model_with(of, large_bytes, none);
  problem p{large_bytes, zero.rows, {}, zero.us, {}};
  std::size_t probe = 0;
  for (const table_row* row : p.rows)
    p.measured.push_back(row == nullptr ? of.probes[probe++].us : row->us);
  p.slopes.assign(p.rows.size(), none);
  for (std::size_t i = 0; i < none.size(); ++i) {
    std::vector<double> unit = none;
    unit[i] = 1;
    const modelled one = model_with(of, large_bytes, unit);
    for (std::size_t k = 0; k < p.rows.size(); ++k) p.slopes[k][i] = one.us[k] - p.fixed[k];
  }
  return p;
}

double residual(const problem& p, std::size_t row, const std::vector<double>& values) {
  double modelled = p.fixed[row];
  for (std::size_t i = 0; i < values.size(); ++i) modelled += p.slopes[row][i] * values[i];
  return modelled / p.measured[row] - 1;
}

// One constant after the other, as the normal equations have it, until none moves.
std::vector<double> solve(const problem& p) {
  std::vector<double> values(p.slopes.front().size());
  for (int round = 0; round < 100000; ++round) {
    double moved = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      double along = 0, square = 0;
      for (std::size_t k = 0; k < p.rows.size(); ++k) {
        if (!p.is_fitted(k)) continue;
        const double slope = p.slopes[k][i] / p.measured[k];
        along += slope * residual(p, k, values);
        square += slope * slope;
      }
      const double next = std::max(0.0, values[i] - along / square);
      moved = std::max(moved, std::fabs(next - values[i]) / std::max(1.0, values[i]));
      values[i] = next;
    }
    if (moved < 1e-9) break;
  }
  return values;
}

double sum_of_squares(const problem& p, const std::vector<double>& values) {
  double sum = 0;
  for (std::size_t k = 0; k < p.rows.size(); ++k) {
    const double r = p.is_fitted(k) ? residual(p, k, values) : 0;
    sum += r * r;
  }
  return sum;
}

void print_rows(const problem& p, const std::vector<double>& values, row_role role) {
  double sum = 0, largest = 0;
  int count = 0;
  for (std::size_t k = 0; k < p.rows.size(); ++k) {
    if (p.rows[k] == nullptr || p.rows[k]->role != role) continue;
    const double size = std::fabs(residual(p, k, values));
    sum += size;
    largest = std::max(largest, size);
    ++count;
  }
  std::printf("%s: %d rows, mean |residual| %.1f %%, largest %.1f %%\n",
              role == row_role::fit ? "fit" : "test", count, 100 * sum / count, 100 * largest);
}

void run(const fit& of) {
  std::printf("SDK %s\n", of.sdk);
  std::vector<double> tried = of.large_megabytes;
  if (tried.empty()) tried = {of.preset.host_to_device_large_bytes * 1e-6};
  std::optional<problem> best;
  std::vector<double> values;
  for (const double megabytes : tried) {
    const problem p = make_problem(of, megabytes * 1e6);
    const std::vector<double> solution = solve(p);
    const double sum = sum_of_squares(p, solution);
    std::printf("large from %.1f MB: sum of squares %.4f\n", megabytes, sum);
    if (best && sum >= sum_of_squares(*best, values)) continue;
    best = p;
    values = solution;
  }
  std::printf("%-32s %.4g\n", "host_to_device_large_bytes", best->large_bytes);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::printf("%-32s %.4g\n", of.constants[i].name, values[i]);
  for (const row_role role : {row_role::fit, row_role::test}) print_rows(*best, values, role);
}

}  // namespace

int main() {
  for (const fit& of : fits()) run(of);
}
