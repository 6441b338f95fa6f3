// Fits the constants of engine::sdk_2_24 that no probe has, and the published host terms, to the
// rows of the published table that name SDK 2.24 and to the one published probe of large copies:
// least squares of the relative residuals, none of
// the constants below 0. The device's time in each row is what the model has for the published
// kernel. Where the large rate begins is tried in steps. Prints the constants and the residuals
// that they leave. Takes minutes: the table is modelled anew for each constant and step.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <vector>

#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"

namespace {

using namespace papilio;
using namespace papilio::kernels::published;

constexpr std::size_t constants = 6;
using vector_of_constants = std::array<double, constants>;

struct constant {
  const char* name;
  std::function<double&(engine::runtime_spec&, published_host_terms&)> in;
};

const std::array<constant, constants>& fitted() {
  using runtime = engine::runtime_spec;
  using host = published_host_terms;
  static const std::array<constant, constants> list{{
      {"launch_us", [](runtime& r, host&) -> double& { return r.launch_us; }},
      {"host_to_device_us", [](runtime& r, host&) -> double& { return r.host_to_device_us; }},
      {"host_to_device_large_us_per_mb",
       [](runtime& r, host&) -> double& { return r.host_to_device_large_us_per_mb; }},
      {"device_to_host_us_per_mb",
       [](runtime& r, host&) -> double& { return r.device_to_host_us_per_mb; }},
      {"bit_reversal_us", [](runtime&, host& h) -> double& { return h.bit_reversal_us; }},
      {"chirp_us", [](runtime&, host& h) -> double& { return h.chirp_us; }},
  }};
  return list;
}

// trntensor's table of steps: both operands of a 2048 x 2048 product to the device.
constexpr std::size_t probe_tensors = 2;
constexpr double probe_bytes = 2 * 2048.0 * 2048 * 4, probe_us = 7282;

/// The published times of the rows and of the probe, and the modelled ones: fixed + sum of constant
/// * slope.
struct problem {
  double large_bytes;
  std::vector<const table_row*> rows;  // null: the probe
  std::vector<double> measured;
  std::vector<double> fixed;
  std::vector<vector_of_constants> slopes;
};

struct modelled {
  std::vector<const table_row*> rows;
  std::vector<double> us;
};

modelled model_with(double large_bytes, const vector_of_constants& values) {
  engine::runtime_spec runtime = engine::sdk_2_24();
  runtime.host_to_device_large_bytes = large_bytes;
  published_host_terms host;
  for (std::size_t i = 0; i < constants; ++i) fitted()[i].in(runtime, host) = values[i];
  modelled m;
  for (const modelled_row& r : model_table(engine::trainium1(), runtime, host)) {
    if (r.row->sdk != "2.24") continue;
    m.rows.push_back(r.row);
    m.us.push_back(r.modelled_us());
  }
  m.rows.push_back(nullptr);
  m.us.push_back(runtime.upload_us(probe_tensors, probe_bytes));
  return m;
}

// The model is linear in its constants: slopes are differences of two.
problem make_problem(double large_bytes) {
  const modelled zero = model_with(large_bytes, {});
  problem p{large_bytes, zero.rows, {}, zero.us, {}};
  for (const table_row* row : p.rows) p.measured.push_back(row == nullptr ? probe_us : row->us);
  p.slopes.resize(p.rows.size());
  for (std::size_t i = 0; i < constants; ++i) {
    vector_of_constants unit{};
    unit[i] = 1;
    const modelled one = model_with(large_bytes, unit);
    for (std::size_t k = 0; k < p.rows.size(); ++k) p.slopes[k][i] = one.us[k] - p.fixed[k];
  }
  return p;
}

double residual(const problem& p, std::size_t row, const vector_of_constants& values) {
  double modelled = p.fixed[row];
  for (std::size_t i = 0; i < constants; ++i) modelled += p.slopes[row][i] * values[i];
  return modelled / p.measured[row] - 1;
}

// One constant after the other, as the normal equations have it, until none moves.
vector_of_constants solve(const problem& p) {
  vector_of_constants values{};
  for (int round = 0; round < 100000; ++round) {
    double moved = 0;
    for (std::size_t i = 0; i < constants; ++i) {
      double along = 0, square = 0;
      for (std::size_t k = 0; k < p.rows.size(); ++k) {
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

double sum_of_squares(const problem& p, const vector_of_constants& values) {
  double sum = 0;
  for (std::size_t k = 0; k < p.rows.size(); ++k) {
    const double r = residual(p, k, values);
    sum += r * r;
  }
  return sum;
}

void print_group(const problem& p, const vector_of_constants& values, const char* system) {
  double sum = 0, largest = 0;
  int count = 0;
  for (std::size_t k = 0; k < p.rows.size(); ++k) {
    if (p.rows[k] == nullptr || p.rows[k]->system != system) continue;
    const double size = std::fabs(residual(p, k, values));
    sum += size;
    largest = std::max(largest, size);
    ++count;
  }
  std::printf("%s: %d rows, mean |residual| %.1f %%, largest %.1f %%\n", system, count,
              100 * sum / count, 100 * largest);
}

}  // namespace

int main() {
  std::optional<problem> best;
  vector_of_constants values{};
  for (const double megabytes : {4.2, 6.0, 8.0, 9.0, 10.0, 12.0, 16.0}) {
    const problem p = make_problem(megabytes * 1e6);
    const vector_of_constants solution = solve(p);
    const double sum = sum_of_squares(p, solution);
    std::printf("large from %.1f MB: sum of squares %.4f\n", megabytes, sum);
    if (best && sum >= sum_of_squares(*best, values)) continue;
    best = p;
    values = solution;
  }
  std::printf("%-32s %.4g\n", "host_to_device_large_bytes", best->large_bytes);
  for (std::size_t i = 0; i < constants; ++i)
    std::printf("%-32s %.4g\n", fitted()[i].name, values[i]);
  for (const char* system : {"trnfft", "trntensor"}) print_group(*best, values, system);
}
