// How a long axis is cut, by an estimate of what passes by columns take.
//   DMA       a row of lanes for each point and plane, and of points for each lane that leaves by
//             rows; rows of few elements take as long as longer ones
//   array     products and transposes of groups of points: a small group takes as long as one that
//             fills the array where it is transposed, or is stationary
//   port      of PSUM, which the engines that empty it share: transposes, results, and products
//             with twiddle factors
// The slowest of these, and the part of a block's DMA that has nothing beside it: lines that leave
// by rows are stored together.
#include "kernels/fft/four_step.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/fft/digits.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/fft/units.hpp"

namespace papilio::kernels_detail {
namespace {

using engine::machine_spec;

// A pass by columns over these stages, done `repeats` times.
struct column_sizes {
  std::vector<std::int64_t> radices;
  std::int64_t lanes = 1, repeats = 1;
  bool to_rows = false;  ///< leaves by rows, with twiddle factors
};

class pass_estimate {
 public:
  pass_estimate(column_sizes sizes, const machine_spec& machine)
      : sizes_(std::move(sizes)), machine_(machine), side_(machine.tensor.rows) {
    for (const std::int64_t r : sizes_.radices) points_ *= r;
    const std::int64_t most = machine.tensor.moving_columns_max;
    blocks_ = (sizes_.lanes + most - 1) / most;
    runs_ = (sizes_.lanes + side_ - 1) / side_;
    tile_ = std::min(sizes_.lanes, (runs_ + blocks_ - 1) / blocks_ * side_);
    move();
    std::int64_t before = 1;
    for (std::size_t i = 0; i < sizes_.radices.size(); ++i) {
      stage(i, before);
      before *= sizes_.radices[i];
    }
  }

  double seconds() const {
    const double array = array_cycles_ / machine_.tensor.clock_hz,
                 port = port_cycles_ / machine_.vector.clock_hz;
    const double alone = sizes_.to_rows ? 0.5 : 0.1;
    return double(sizes_.repeats) * std::max({dma_ns_ * 1e-9, array, port}) +
           alone * dma_ns_ * 1e-9 / double(blocks_);
  }

 private:
  double bytes_ns(double bytes) const {
    return bytes / (machine_.dma.bytes_per_ns * machine_.dma.engines);
  }
  double row_ns(std::int64_t elements) const {
    return std::max(machine_.dma.descriptor_ns / machine_.dma.engines,
                    bytes_ns(4.0 * double(elements)));
  }

  void move() {
    const std::int64_t rest = sizes_.lanes - (blocks_ - 1) * tile_;
    const double by_columns =
        2.0 * double(points_) * (double(blocks_ - 1) * row_ns(tile_) + row_ns(rest));
    dma_ns_ =
        by_columns + (sizes_.to_rows ? 2.0 * double(sizes_.lanes) * row_ns(points_) : by_columns);
  }

  void stage(std::size_t index, std::int64_t before) {
    const std::int64_t half = side_ / 2, r = sizes_.radices[index];
    const bool last = index + 1 == sizes_.radices.size(), first = index == 0;
    const std::int64_t shared = group_points(sizes_.radices, index, half) / r;
    const double pieces = r > half ? 2 : 1, reals = 2.0 * double(r * shared);
    const double groups = double(points_ / (r * shared)), runs = double(runs_);
    const double least = machine_.tensor.min_initiation_cycles,
                 passes = machine_.tensor.fp32_passes;
    const std::int64_t bank = machine_.psum.bank_bytes / 4;
    const double instruction = machine_.vector.static_cycles;
    double unit = double(unit_banks * (bank / side_)) / pieces;
    dma_ns_ += bytes_ns(4 * double(before) / double(shared) * reals * reals);
    if (!first) {
      array_cycles_ += runs * groups * pieces * double(side_);
      port_cycles_ += runs * groups * (pieces * double(side_) + instruction / unit);
    }
    if (last && !sizes_.to_rows) {
      array_cycles_ += groups * pieces * pieces * passes * double(sizes_.lanes);
      unit = double(unit_banks * std::max<std::int64_t>(1, bank / tile_));
      port_cycles_ +=
          groups * pieces * (double(sizes_.lanes) + double(blocks_) * instruction / unit);
      return;
    }
    array_cycles_ += runs * groups * pieces * passes * std::max(least, reals);
    unit = std::min(unit, unit_banks * std::max(0.5, double(bank / std::int64_t(reals))));
    if (!last) {
      port_cycles_ += runs * groups * (reals + instruction / unit);
      return;
    }
    // Factors, products with cosines and sines of all, then a sum and a difference of half as many.
    dma_ns_ += double(sizes_.lanes) * groups / unit * row_ns(std::int64_t(unit * reals));
    port_cycles_ += runs * groups * (3 * reals + 4 * instruction / unit);
  }

  column_sizes sizes_;
  const machine_spec& machine_;
  std::int64_t side_, points_ = 1, blocks_ = 1, runs_ = 1, tile_ = 1;
  double dma_ns_ = 0, array_cycles_ = 0, port_cycles_ = 0;
};

std::vector<std::int64_t> stages_of(std::int64_t n, const machine_spec& machine) {
  return radices_of(n, machine.tensor.rows / 2, machine.tensor.rows);
}

// Columns that leave as they came.
double column_seconds(std::int64_t n, std::int64_t lanes, std::int64_t repeats,
                      const machine_spec& machine) {
  if (n <= machine.thresholds.one_sweep_points_max)
    return pass_estimate({stages_of(n, machine), lanes, repeats}, machine).seconds();
  const std::int64_t last = last_factor(n, machine);
  return column_seconds(n / last, last * lanes, repeats, machine) +
         pass_estimate({{last}, lanes, repeats * (n / last)}, machine).seconds();
}

}  // namespace

std::int64_t last_factor(std::int64_t n, const machine_spec& machine) {
  const std::int64_t half = machine.tensor.rows / 2, divisor = largest_divisor(n, half);
  if (divisor > half / 4) return divisor;
  // Of large primes mostly.
  return std::max(divisor, primes_of(n).front());
}

std::int64_t four_step_factor(std::int64_t n, const machine_spec& machine) {
  std::int64_t best = 0;
  double least = 0;
  bool best_fits = false;
  for (const std::int64_t n1 : divisors_of(n)) {
    const std::int64_t n2 = n / n1;
    if (n1 > machine.thresholds.one_sweep_points_max / 4 || n1 < 2 || n2 < 2) continue;
    const auto radices = stages_of(n1, machine);
    if (radices.empty() || stages_of(n2, machine).empty()) continue;
    const double cost =
        pass_estimate({.radices = radices, .lanes = n2, .to_rows = true}, machine).seconds() +
        column_seconds(n2, n1, 1, machine);
    // Matrices of the third sweep that fit at once come first.
    const bool fits = n2 <= machine.thresholds.one_sweep_points_max ||
                      n2 / (machine.tensor.rows / 2) <= machine.thresholds.stage_matrices_max;
    if (best == 0 || fits > best_fits || (fits == best_fits && cost < least)) {
      best = n1;
      least = cost;
      best_fits = fits;
    }
  }
  return best;
}

}  // namespace papilio::kernels_detail
