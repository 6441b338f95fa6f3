// Design of Stockham transforms: their radices, the order of these, and the cost of their passes.
#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "fft/pass.hpp"
#include "fft/stockham.hpp"

namespace papilio::fft_detail {

namespace {

// Returns the radices of a power of two. If 16 is allowed, the first is 16, and the others are as
// few and as equal as possible, the smaller ones first.
std::vector<std::size_t> even_radices(std::size_t power, std::size_t largest) {
  std::vector<std::size_t> radices;
  if (largest == 16 && power > 16) {
    radices.push_back(16);
    const auto bits = static_cast<std::size_t>(std::countr_zero(power)) - 4,
               passes = (bits + 3) / 4;
    for (std::size_t i = 0; i < passes; ++i)
      radices.push_back(std::size_t{1} << (bits * (i + 1) / passes - bits * i / passes));
    if (power == 32) return {8, 4};
    if (power == 512) return {16, 8, 4};
    return radices;
  }
  for (; power >= largest; power /= largest) radices.push_back(largest);
  if (power == 2 && !radices.empty() && largest > 4) {
    // Radices 8, 2 are slower than 4, 4.
    radices.back() /= 2;
    power = 4;
  }
  if (power > 1) radices.push_back(power);
  return radices;
}

// Returns how much dearer a pass is for lanes that idle or are narrow. Of 16 lanes it uses those of
// l consecutive k, or of l * count where that is less than a 16-byte block; the last register
// overlaps its neighbour. Results that are scattered, or go to other lanes, cost besides.
double lane_cost(std::size_t l, std::size_t count) {
  const bool narrow = l < 4;
  const std::size_t consecutive = narrow ? l * count : l;
  const std::size_t lanes = std::min<std::size_t>(16, std::bit_floor(consecutive));
  const auto registers = static_cast<double>((consecutive + lanes - 1) / lanes);
  const double scattered = narrow && l > 1 ? 2.5 : 1;
  const double used = static_cast<double>(consecutive) / (registers * static_cast<double>(lanes));
  return scattered / used * (lanes < 4 ? 8.0 : lanes == 4 ? 2.5 : lanes == 8 ? 1.5 : 1.0);
}

// One unit is about 0.13 cycles a point in 16 lanes; a table of measured passes.
double radix_cost(std::size_t radix) {
  switch (radix) {
    case 2:
      return 2.0;
    case 3:
      return 2.6;
    case 4:
      return 2.5;
    case 5:
      return 3.4;
    case 7:
      return 4.6;
    case 8:
      return 3.2;
    case 9:
      return 4.8;
    case 16:
      return 3.8;
    default:
      return (radix <= 13 ? 1.0 : 3.0) + (radix <= 13 ? 0.6 : 0.9) * static_cast<double>(radix);
  }
}

// Cost of a pass of n points that comes after passes of l points.
double pass_cost(std::size_t n, std::size_t l, std::size_t radix) {
  return radix_cost(radix) * lane_cost(l, n / (l * radix));
}

constexpr double call_cost = 1;

double passes_cost(const recipe& r) {
  double sum = call_cost;
  std::size_t l = 1;
  for (const std::size_t radix : r.radices) {
    sum += pass_cost(r.n, l, radix);
    l *= radix;
  }
  return sum;
}

// Extends the order of the passes before l by each radix that is left, as long as that can become
// cheaper than the best one so far.
class cheapest_order {
 public:
  cheapest_order(recipe& r, double cost) : n_(r.n), left_(r.radices), best_(cost) {
    std::ranges::sort(left_);
    extend(1, call_cost);
    if (!found_.empty()) r.radices = found_;
  }

 private:
  void extend(std::size_t l, double cost) {
    if (left_.empty()) {
      best_ = cost;
      found_ = chosen_;
      return;
    }
    for (std::size_t i = 0; i < left_.size(); ++i) {
      const std::size_t radix = left_[i];
      if (i > 0 && left_[i - 1] == radix) continue;
      const double so_far = cost + pass_cost(n_, l, radix);
      if (so_far >= best_) continue;
      const auto at = left_.begin() + static_cast<std::ptrdiff_t>(i);
      left_.erase(at);
      chosen_.push_back(radix);
      extend(l * radix, so_far);
      chosen_.pop_back();
      left_.insert(at, radix);
    }
  }

  std::size_t n_;
  std::vector<std::size_t> left_, chosen_, found_;
  double best_;
};

// The order decides how many lanes a pass has, and the first pass transposes its output. All orders
// are tried while these are few; else the largest power of two leads, then the large odd factors.
void order_radices(recipe& r) {
  constexpr std::size_t few = 6;
  if (r.radices.size() > few) {
    std::ranges::sort(r.radices, std::greater<>());
    const auto even = [](std::size_t radix) { return radix % 2 == 0; };
    if (const auto lead = std::ranges::find_if(r.radices, even); lead != r.radices.end())
      std::rotate(r.radices.begin(), lead, lead + 1);
    return;
  }
  cheapest_order(r, passes_cost(r));
}

}  // namespace

std::optional<recipe> design_stockham(std::size_t n, std::size_t largest_power, bool lanes) {
  std::size_t rest = n, power = 1;
  while (rest % 2 == 0) {
    rest /= 2;
    power *= 2;
  }
  std::vector<std::size_t> odd;
  for (; rest % 9 == 0; rest /= 9) odd.push_back(9);
  for (std::size_t f = 3; f <= max_odd_radix && f <= rest; f += 2)
    for (; rest % f == 0; rest /= f) odd.push_back(f);
  std::ranges::sort(odd);
  if (rest != 1) return std::nullopt;

  std::vector<std::size_t> even = even_radices(power, largest_power);

  recipe r{recipe_kind::stockham, n, std::move(even), {}};
  r.radices.insert(r.radices.end(), odd.rbegin(), odd.rend());
  if (lanes) order_radices(r);
  return r;
}

std::optional<recipe> design_columns(std::size_t n, bool ordered) {
  std::optional<recipe> best;
  for (const std::size_t largest_power : {8, 16, 4})
    if (auto r = design_stockham(n, largest_power, false);
        r && (!best || column_cost(*r) < column_cost(*best)))
      best = std::move(r);
  if (best && ordered) order_radices(*best);
  return best;
}

double stockham_cost(const recipe& r) {
  // Every pass goes through the cache that holds the line.
  const double memory = r.n <= 2048     ? 1
                        : r.n <= 8192   ? 1.4
                        : r.n <= 65536  ? 1.65
                        : r.n <= 131072 ? 2.75
                                        : 3.6;
  return passes_cost(r) * memory * static_cast<double>(r.n);
}

double column_cost(const recipe& r) {
  const auto radix_cost = [](std::size_t radix) {
    switch (radix) {
      case 2:
        return 1.2;
      case 3:
        return 1.5;
      case 4:
        return 1.8;
      case 5:
        return 2.2;
      case 7:
        return 3.0;
      case 8:
        return 2.29;  // 4 8 8 before 16 16: 0.87 of the time with AVX2, the same with AVX-512
      case 9:
        return 3.0;
      case 16:
        return 3.2;
      default:
        return (radix <= 13 ? 0.5 : 1.5) + 0.4 * static_cast<double>(radix);
    }
  };
  double sum = 0;
  for (const std::size_t radix : r.radices) sum += radix_cost(radix);
  return sum;
}

}  // namespace papilio::fft_detail
