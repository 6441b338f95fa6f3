// Designs of lines whose own digits are on the array's rows and columns: see own_digits.hpp.
//   two digits     n = a b, j = j_0 b + j_1, k = k_0 + a k_1: a sum over j_0, the twiddle
//                  w(ab)^(j_1 k_0), a sum over j_1. Real lines keep rows k_0 <= a/2; their bins are
//                  those with k_1 < b/2 and the mirrored ones. Their inverse reverses the steps
//   three digits   n = a b c: the sum over j_1 leaves a part of k_0 beside j_2 on partitions, so
//                  that they are full
//   chirps         Bluestein's algorithm on chip: points times a chirp, two digits, the filter, the
//                  two digits back, the chirp
//   bound          the chain of steps of one line; the tensor and vector engines for several lines
#include <algorithm>
#include <functional>

#include "kernels/ceil_div.hpp"
#include "kernels/design.hpp"
#include "kernels/transform/cuts.hpp"
#include "kernels/transform/error_model.hpp"
#include "kernels/transform/factors.hpp"
#include "kernels/transform/own_digits.hpp"
#include "kernels/transform/patterns.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using engine::machine_spec;

namespace {
namespace own_designs {

digit_place place(digit_axes partitions, digit_axes columns) {
  return {packed(std::move(partitions)), packed(std::move(columns))};
}

own_factors twiddle(std::int64_t order, digit_form left, digit_form right,
                    bool conjugated = false) {
  return {
      .order = order, .conjugated = conjugated, .left = std::move(left), .right = std::move(right)};
}

own_digits lines_of_design(const lines_problem& p, std::int64_t together,
                           const machine_spec& machine) {
  return {.lines = p.outer,
          .together = together,
          .bank = machine.psum.bank_bytes / 4,
          .swapped = p.inverse && !p.real,
          .scale = p.scale,
          .in = {.numbers = p.inverse ? p.bins() : p.n,
                 .planes = p.real && !p.inverse ? 1 : 2,
                 .plane = p.in_plane,
                 .half = p.real && p.inverse},
          .out = {.numbers = p.inverse ? p.n : p.bins(),
                  .planes = p.real && p.inverse ? 1 : 2,
                  .bins = true,
                  .half = p.real && !p.inverse}};
}

// Whether both planes of so many rows fit the partitions, each beginning where an access may.
bool planes_on_partitions(std::int64_t rows, const machine_spec& machine) {
  return 2 * rows <= machine.tensor.rows && rows % start_grain(rows, machine) == 0;
}

own_digits complex_two(const lines_problem& p, std::int64_t a, std::int64_t together,
                       const machine_spec& machine) {
  const std::int64_t b = p.n / a;
  const digit_axis plane{plane_axis, 2}, line{line_axis, together}, A{0, a}, B{1, b};
  own_digits d = lines_of_design(p, together, machine);
  d.radices = {a, b};
  d.entry = planes_on_partitions(a, machine) ? place({plane, A}, {line, B})
                                             : place({A}, {plane, line, B});
  const digit_place along = place({B}, {plane, line, A});
  d.steps = {{.digit = 0, .to = along, .after = twiddle(p.n, {{{0, 1}}}, {{{1, 1}}})},
             {.digit = 1, .to = along}};
  return d;
}

own_digits complex_three(const lines_problem& p, std::int64_t a, std::int64_t b,
                         const machine_spec& machine) {
  const std::int64_t c = p.n / a / b, array_rows = machine.tensor.rows,
                     low = largest_divisor(a, array_rows / c);
  const digit_axis plane{plane_axis, 2}, line{line_axis, 1}, A{0, a}, B{1, b}, C{2, c},
      low_a{0, low}, high_a{0, a / low, low};
  own_digits d = lines_of_design(p, 1, machine);
  d.radices = {a, b, c};
  d.entry = planes_on_partitions(a, machine) ? place({plane, A}, {line, B, C})
                                             : place({A}, {plane, line, B, C});
  d.steps = {{.digit = 0,
              .to = place({B}, {plane, line, C, A}),
              .after = twiddle(a * b, {{{0, 1}}}, {{{1, 1}}})},
             {.digit = 1,
              .to = place({low_a, C}, {plane, line, high_a, B}),
              .after = twiddle(p.n, {{{2, 1}}}, {{{0, 1}, {1, a}}})},
             {.digit = 2, .to = place({B}, {plane, line, C, high_a, low_a})}};
  return d;
}

// The layout of bins that are loaded or stored: half of the last digit's rows are on partitions.
digit_place half_spectrum(own_digits& d, std::int64_t together, const machine_spec& machine) {
  const std::int64_t row = d.radix(0), half = ceil_div(d.radix(1), std::int64_t(2)),
                     grain = start_grain(half, machine);
  d.mirror = ceil_div(half, grain) * grain;
  // Each row has the first bin of the next one too.
  digit_place bins{{{1, half, 1, 1}},
                   {{plane_axis, 2, 1, together * (row + 1)},
                    {line_axis, together, 1, row + 1},
                    {0, row / 2 + 1, 1, 1}}};
  if (d.in.half) bins.partitions.insert(bins.partitions.begin(), {mirror_axis, 2, 1, d.mirror});
  return bins;
}

own_digits real_two(const lines_problem& p, std::int64_t a, std::int64_t together,
                    const machine_spec& machine) {
  const std::int64_t b = p.n / a;
  const digit_axis plane{plane_axis, 2}, line{line_axis, together}, A{0, a}, rows{0, a / 2 + 1},
      B{1, b};
  own_digits d = lines_of_design(p, together, machine);
  d.radices = {a, b};
  d.out.bins = false;
  const digit_place bins = half_spectrum(d, together, machine);
  const own_factors factors = twiddle(p.n, {{{0, 1}}}, {{{1, 1}}}, p.inverse);
  if (p.inverse) {
    d.entry = bins;
    d.steps = {{.digit = 1, .back = true, .to = place({rows}, {plane, line, B}), .after = factors},
               {.digit = 0, .back = true, .to = place({A}, {line, B})}};
  } else {
    d.entry = place({A}, {line, B});
    d.steps = {{.digit = 0, .to = place({B}, {plane, line, rows}), .after = factors},
               {.digit = 1, .to = bins}};
  }
  return d;
}

std::int64_t square_root_above(std::int64_t x) {
  std::int64_t root = 1;
  while (root * root < x) ++root;
  return root;
}

own_digits chirp_of(const lines_problem& p, std::int64_t together, const machine_spec& machine) {
  own_digits d = lines_of_design(p, together, machine);
  const std::int64_t in = d.in.numbers, out = d.out.numbers, least = in + out - 1,
                     a = square_root_above(least), b = (least + a - 1) / a;
  const bool back = p.real && p.inverse;
  const auto factors = [&](chirp_factors::part part, digit_form index) {
    return own_factors{.right = std::move(index),
                       .chirp = {.of = part,
                                 .n = p.n,
                                 .in = in,
                                 .out = out,
                                 .m = a * b,
                                 .inverse = back,
                                 .weight = back ? chirp_weight::mirrored : chirp_weight::none}};
  };
  const digit_axis plane{plane_axis, 2}, line{line_axis, together}, A{0, a}, B{1, b};
  const auto ends = [&](std::int64_t numbers) {
    return place({{0, (numbers + b - 1) / b}}, {plane, line, B});
  };
  const digit_place along = place({B}, {plane, line, A});
  const digit_form point{{{0, b}, {1, 1}}}, bin{{{0, 1}, {1, a}}};
  d.radices = {a, b};
  d.scale = 1;
  d.in.half = d.out.half = d.out.bins = false;
  d.in.first_is_real = back;
  d.in.last_is_real = back && p.n % 2 == 0;
  d.entry = ends(in);
  d.first = factors(chirp_factors::part::points, point);
  own_factors results = factors(chirp_factors::part::results, point);
  results.scale = p.scale;
  if (p.real && !p.inverse) results.real_bins_of = p.n;
  d.steps = {{.digit = 0, .to = along, .after = twiddle(a * b, {{{0, 1}}}, {{{1, 1}}})},
             {.digit = 1, .to = along, .after = factors(chirp_factors::part::filter, bin)},
             {.digit = 1,
              .back = true,
              .to = place({A}, {plane, line, B}),
              .after = twiddle(a * b, {{{0, 1}}}, {{{1, 1}}}, true)},
             {.digit = 0, .back = true, .to = ends(out), .after = std::move(results)}};
  return d;
}

double squared_error_of(const own_digits& d) {
  double sum = d.first ? product_squared_error() : 0;
  for (std::size_t s = 0; s < d.steps.size(); ++s) {
    const own_shape shape = shape_of(d, s);
    const std::int64_t rows = shape.planes_in_rows ? count_of(shape.rows) / 2 : 0,
                       terms = d.radix(d.steps[s].digit);
    // Each plane is summed by itself, in half of a point's terms.
    sum += rows > 0 ? stage_error(double(terms))
                    : stage_error(double(terms) / 2) + rounding_squared_error();
    if (d.steps[s].after) sum += product_squared_error();
  }
  return sum;
}

fft_step step_of(const own_digits& d) {
  const auto elements = [&](const own_end& end) {
    const std::int64_t all = d.lines * end.numbers, plane = end.plane < 0 ? all : end.plane;
    return (end.planes - 1) * plane + all;
  };
  fft_step step{.design = design_of(d),
                .in_elements = elements(d.in),
                .out_elements = elements(d.out),
                .squared_error = squared_error_of(d),
                .lines = d.lines,
                .lines_together = d.together * d.in_flight};
  if (d.first) step.tables.push_back(factor_table(d.entry, d.first));
  for (std::size_t s = 0; s < d.steps.size(); ++s) {
    step.tables.push_back(step_table(d, s));
    if (d.steps[s].after) step.tables.push_back(factor_table(d.steps[s].to, d.steps[s].after));
  }
  step.run = [d](engine::core& nc, const engine::hbm_view& in, const engine::hbm_view& out,
                 std::span<const engine::hbm_view> tables) {
    run_own_digits(nc, d, in, out, tables);
  };
  return step;
}

// Whether every step's operands and results fit the partitions, its products a bank of PSUM, and
// all tiles SBUF.
bool fits(const own_digits& d, const machine_spec& machine) {
  const std::int64_t array_rows = machine.tensor.rows;
  std::int64_t words = 3 * d.bank + 2 * d.in_flight * room_of(d.entry.columns);
  const auto tables = [&](const digit_place& at, const own_factors& f) {
    return f ? 4 * count_of(columns_of(f, at)) : 0;
  };
  words += tables(d.entry, d.first);
  for (std::size_t s = 0; s < d.steps.size(); ++s) {
    const digit_place& to = d.steps[s].to;
    const own_shape h = shape_of(d, s);
    words += d.in_flight * room_of(to.columns) + h.pieces * h.planes_out * h.width() +
             tables(to, d.steps[s].after);
    if (span_of(h.rows) > array_rows || h.partitions() > array_rows ||
        h.planes_out * (h.data_stationary ? h.width() : 1) > d.bank)
      return false;
  }
  return words * 4 <= machine.sbuf.bytes_per_partition;
}

std::optional<double> seconds_of(const own_digits& d, const machine_spec& machine) {
  try {
    return modelled_seconds({{step_of(d)}}, machine);
  } catch (const engine::kernel_error&) {
    return {};
  }
}

// Estimates the cycles of a line: of columns that the array multiplies, in four passes, and of
// numbers that leave it.
double cycles_of(const own_digits& d) {
  constexpr std::int64_t columns_least = 64, passes = 4;
  double cycles = 0;
  for (std::size_t s = 0; s < d.steps.size(); ++s) {
    const own_shape h = shape_of(d, s);
    const std::int64_t units = count_of(h.outer), each = count_of(h.inner),
                       products = h.pieces * (h.data_stationary ? each : h.planes_out),
                       columns = h.data_stationary ? h.planes_out * h.width() : each,
                       unit_sums = h.planes_out * (h.data_stationary ? each * h.width() : each),
                       operations = d.steps[s].after ? 3 : 1;
    cycles += double(units * products * passes * std::max(columns_least, columns) +
                     units * operations * (unit_sums + columns_least));
  }
  return cycles / double(d.together);
}

constexpr std::int64_t together_most = 4, in_flight_most = 4;
// Digits below this leave most of the array idle.
constexpr std::int64_t digit_least = 4;

// Makes a design of a problem's lines, so many of them to a tile.
using own_maker = std::function<own_digits(const lines_problem&, std::int64_t together)>;

// The lines to a tile and tiles in flight that dry runs find fastest; nothing where none fit.
std::optional<own_digits> fastest_layout(const lines_problem& p, const own_maker& make,
                                         const machine_spec& machine) {
  std::optional<own_digits> best;
  double least = 0;
  for (std::int64_t together = 1; together <= std::min(together_most, p.outer); ++together)
    for (std::int64_t in_flight = 1; in_flight <= in_flight_most; ++in_flight) {
      own_digits d = make(p, together);
      d.in_flight = in_flight;
      if (in_flight > 1 && in_flight > d.tiles()) break;
      if (!fits(d, machine)) continue;
      const auto seconds = seconds_of(d, machine);
      if (!seconds || (best && *seconds >= least)) continue;
      least = *seconds;
      best = std::move(d);
    }
  return best;
}

// The step with the fastest digits, which are chosen for the whole batch, so that the bits of a
// line do not depend on how a batch is divided.
std::optional<fft_step> fastest_step(const lines_problem& p, std::vector<own_maker> makers,
                                     const machine_spec& machine) {
  // A dry run of some lines shows how fast many are.
  const lines_problem some = some_of(p, 2 * together_most * in_flight_most);
  std::erase_if(makers, [&](const own_maker& make) { return !fits(make(some, 1), machine); });
  std::ranges::stable_sort(makers, {},
                           [&](const own_maker& make) { return cycles_of(make(some, 1)); });
  if (makers.size() > designs_compared_max) makers.resize(designs_compared_max);
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t i = 0; i < makers.size(); ++i) {
    const auto d = fastest_layout(some, makers[i], machine);
    if (!d) continue;
    const double seconds = *seconds_of(*d, machine);
    if (best && seconds >= least) continue;
    least = seconds;
    best = i;
  }
  if (!best) return {};
  lines_problem few = p;
  few.outer = std::min(p.outer, some.outer);
  if (few.outer != p.outer) few.in_plane = -1;
  auto chosen = fastest_layout(few, makers[*best], machine);
  if (!chosen) return {};
  own_digits whole = makers[*best](p, chosen->together);
  whole.in_flight = chosen->in_flight;
  return step_of(whole);
}

}  // namespace own_designs
}  // namespace

std::optional<fft_step> own_digits_step(const lines_problem& p, const machine_spec& machine) {
  using namespace own_designs;
  const std::int64_t array_rows = machine.tensor.rows;
  std::vector<own_maker> makers;
  for (const std::int64_t a : divisors_of(p.n)) {
    const std::int64_t rest = p.n / a;
    if (a < digit_least || a > array_rows || rest < digit_least) continue;
    if (p.real) {
      if (rest <= array_rows)
        makers.push_back([=, &machine](const lines_problem& q, std::int64_t together) {
          return real_two(q, a, together, machine);
        });
      continue;
    }
    if (rest <= array_rows) {
      makers.push_back([=, &machine](const lines_problem& q, std::int64_t together) {
        return complex_two(q, a, together, machine);
      });
      continue;
    }
    for (const std::int64_t b : divisors_of(rest))
      if (const std::int64_t c = rest / b;
          b >= digit_least && b <= array_rows && c > 1 && c <= array_rows && a * c >= array_rows)
        makers.push_back([=, &machine](const lines_problem& q, std::int64_t) {
          return complex_three(q, a, b, machine);
        });
  }
  return fastest_step(p, makers, machine);
}

std::optional<fft_step> own_chirp_step(const lines_problem& p, const machine_spec& machine) {
  using namespace own_designs;
  const std::int64_t array_rows = machine.tensor.rows,
                     numbers = p.real ? p.n + p.n / 2 + 1 : 2 * p.n;
  if (numbers - 1 > array_rows * array_rows) return {};
  const auto make = [&](const lines_problem& q, std::int64_t together) {
    return chirp_of(q, together, machine);
  };
  return fastest_step(p, {make}, machine);
}

}  // namespace papilio::kernels_detail
