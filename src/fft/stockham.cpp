// Stockham autosort: n = R_1 R_2 ... R_m, one pass for each factor, decimation in time, the index
// of the finished part fastest, no bit reversal (the identity is in pass.hpp).
#include "fft/stockham.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "fft/pass.hpp"
#include "fft/twiddle.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/checked.hpp"

namespace papilio::fft_detail {

// ---- applicable
// -----------------------------------------------------------------------------------

namespace {

// Radices of a power of two. Those of 16 and less: one of 16, and then as few as possible, as equal
// as possible, the smaller ones first.
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
    // 8 2 is worse than 4 4.
    radices.back() /= 2;
    power = 4;
  }
  if (power > 1) radices.push_back(power);
  return radices;
}

// The order decides how many lanes a pass has, and the first pass turns its output. All orders are
// tried while these are few; else the largest power of two leads, then the large odd factors.
void order_radices(recipe& r) {
  constexpr std::size_t few = 6;
  if (r.radices.size() > few) {
    std::ranges::sort(r.radices, std::greater<>());
    const auto even = [](std::size_t radix) { return radix % 2 == 0; };
    if (const auto lead = std::ranges::find_if(r.radices, even); lead != r.radices.end())
      std::rotate(r.radices.begin(), lead, lead + 1);
    return;
  }
  const auto before = [](const recipe& a, const recipe& b) {
    return stockham_cost(a) < stockham_cost(b);
  };
  recipe best = r, next = r;
  std::ranges::sort(next.radices);
  do {
    if (before(next, best)) best = next;
  } while (std::ranges::next_permutation(next.radices).found);
  r = std::move(best);
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

std::optional<recipe> design_columns(std::size_t n) {
  std::optional<recipe> best;
  for (const std::size_t largest_power : {8, 16, 4})
    if (auto r = design_stockham(n, largest_power);
        r && (!best || column_cost(*r) < column_cost(*best)))
      best = std::move(r);
  return best;
}

// ---- cost
// -----------------------------------------------------------------------------------------

namespace {

// How much dearer a pass is for lanes that idle or are narrow: of 16, it has those of l consecutive
// k, or of l * count where that is less than a 16-byte block; the last register overlaps its
// neighbour. What is scattered or turned into other lanes costs besides.
double lane_cost(std::size_t l, std::size_t count) {
  const bool narrow = l < 4;
  const std::size_t consecutive = narrow ? l * count : l;
  const std::size_t lanes = std::min<std::size_t>(16, std::bit_floor(consecutive));
  const auto registers = static_cast<double>((consecutive + lanes - 1) / lanes);
  const double scattered = narrow && l > 1 ? 2.5 : 1;
  const double used = static_cast<double>(consecutive) / (registers * static_cast<double>(lanes));
  return scattered / used * (lanes < 4 ? 8.0 : lanes == 4 ? 2.5 : lanes == 8 ? 1.5 : 1.0);
}

}  // namespace

// One unit is about 0.13 cycles a point in 16 lanes; a table of measured passes.
double stockham_cost(const recipe& r) {
  const auto radix_cost = [](std::size_t radix) {
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
  };
  double sum = 1;
  std::size_t l = 1;
  for (const std::size_t radix : r.radices) {
    sum += radix_cost(radix) * lane_cost(l, r.n / (l * radix));
    l *= radix;
  }
  // Every pass goes through the cache that holds the line.
  const double memory = r.n <= 2048     ? 1
                        : r.n <= 8192   ? 1.4
                        : r.n <= 65536  ? 1.65
                        : r.n <= 131072 ? 2.75
                                        : 3.6;
  return sum * memory * static_cast<double>(r.n);
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
        return 2.5;
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

namespace {

// ---- build
// ----------------------------------------------------------------------------------------

// Lanes over k need l of them; lanes over (k, t) serve where l is shorter than a 16-byte block.
template <class T>
bool runs_narrow(const pass<T>& p) {
  return p.l == 1 ? p.count > 1 : p.l < 16 / sizeof(T) && lanes_at_most<T>(p.l * p.count) > 1;
}

template <class T>
std::vector<pass<T>> shape_passes(const recipe& r) {
  std::vector<pass<T>> passes;
  std::size_t l = 1;
  for (std::size_t radix : r.radices) {
    pass<T> p;
    p.radix = radix;
    p.l = l;
    p.count = r.n / (l * radix);
    p.lanes = lanes_at_most<T>(runs_narrow(p) ? p.l * p.count : p.l);
    passes.push_back(p);
    l *= radix;
  }
  return passes;
}

// Blocks of twiddles: one for each block of k, the last one overlapping as the loop does; for a
// narrow pass one for each phase of k.
template <class T>
std::size_t twiddle_blocks(const pass<T>& p) {
  if (runs_narrow(p)) return p.l == 1 ? 0 : p.l;
  return (p.l + p.lanes - 1) / p.lanes;
}

template <class T>
std::size_t table_size(const pass<T>& p) {
  const std::size_t roots = p.radix % 2 == 1 ? (p.radix / 2) * (p.radix / 2) * 2 : 0;
  return twiddle_blocks(p) * (p.radix - 1) * 2 * p.lanes + roots;
}

template <class T>
T* fill_twiddles(const pass<T>& p, const roots_of_unity<T>& root, T* out) {
  for (std::size_t block = 0; block < twiddle_blocks(p); ++block) {
    const std::size_t first = runs_narrow(p) ? block : std::min(block * p.lanes, p.l - p.lanes);
    for (std::size_t j = 1; j < p.radix; ++j, out += 2 * p.lanes)
      for (std::size_t lane = 0; lane < p.lanes; ++lane) {
        const std::size_t k = (first + lane) % p.l;
        const std::complex<T> w = root(j * k * p.count);
        out[lane] = w.real();
        out[p.lanes + lane] = w.imag();
      }
  }
  return out;
}

template <class T>
T* fill_odd_roots(std::size_t radix, T* out) {
  if (radix % 2 == 0) return out;
  const roots_of_unity<T> root(radix);
  for (std::size_t j = 1; j <= radix / 2; ++j)
    for (std::size_t r = 1; r <= radix / 2; ++r) {
      const std::complex<T> w = root(j * r);
      *out++ = w.real();
      *out++ = -w.imag();
    }
  return out;
}

template <class T>
class stockham final : public executable<T> {
 public:
  stockham(const recipe& r, direction dir, long double scale)
      : executable<T>(scratch_for(r)),
        n_(r.n),
        pitch_(pitch(r.n)),
        swap_(dir == direction::inverse),
        scale_(static_cast<T>(scale)),
        passes_(shape_passes<T>(r)) {
    if (passes_.empty()) return;
    passes_.back().scale = scale_;
    fill_tables();
    const auto kernels_of = [](const pass<T>& p) -> const pass_kernels<T>& {
      return find_pass_kernels<T>(p.radix, p.lanes);
    };
    for (const pass<T>& p : passes_)
      middle_.push_back(runs_narrow(p) ? kernels_of(p).narrow : kernels_of(p).wide);
    first_ = kernels_of(passes_.front()).first[swap_];
    last_ = kernels_of(passes_.back()).last[swap_];
    single_ = kernels_of(passes_.front()).single[swap_];
    single_split_ = kernels_of(passes_.front()).single_split;
  }

  // ---- execute
  // ------------------------------------------------------------------------------------

  void execute(const T* in, T* out, T* scratch, int) const override {
    if (passes_.size() < 2) {
      if (passes_.empty()) {
        copy_scaled(in, in + 1, out, out + 1);
      } else {
        single_(passes_.front(), in, nullptr, out, nullptr);
      }
      return;
    }
    buffers b = lines(scratch, {out, out + n_}, in == out);
    first_(passes_.front(), in, nullptr, b.from.re, b.from.im);
    run_middle(b);
    last_(passes_.back(), b.from.re, b.from.im, out, nullptr);
  }

  void execute_split(const T* in_re, const T* in_im, T* out_re, T* out_im,
                     T* scratch) const override {
    if (passes_.empty()) return copy_scaled(in_re, in_im, out_re, out_im);
    if (swap_) {
      std::swap(in_re, in_im);
      std::swap(out_re, out_im);
    }
    if (passes_.size() == 1) {
      single_split_(passes_.front(), in_re, in_im, out_re, out_im);
      return;
    }
    const bool in_place = in_re == out_re || in_re == out_im || in_im == out_re || in_im == out_im;
    buffers b = lines(scratch, {out_re, out_im}, in_place);
    middle_.front()(passes_.front(), in_re, in_im, b.from.re, b.from.im);
    run_middle(b);
    middle_.back()(passes_.back(), b.from.re, b.from.im, out_re, out_im);
  }

 private:
  struct line {
    T *re, *im;
  };
  struct buffers {
    line from, to;
  };

  // Where the first pass writes, and the other line in turn with it. The output serves as one of
  // them, so that less memory is in use, but the last pass must not find its input there, nor may
  // the first pass write there while its input lies there.
  buffers lines(T* scratch, line out, bool in_place) const {
    const line own = {scratch, scratch + pitch_};
    const bool odd = passes_.size() % 2 == 1;
    if (!odd) return {own, out};
    if (!in_place) return {out, own};
    return {{scratch + 2 * pitch_, scratch + 3 * pitch_}, own};
  }

  // Half a scratch line: 16 elements of rounding for the widest store, and 128 bytes so that re
  // and im of a power-of-two length do not fall on the same cache sets.
  static std::size_t pitch(std::size_t n) { return (n + 15) / 16 * 16 + 128 / sizeof(T); }
  static std::size_t scratch_for(const recipe& r) {
    if (r.radices.size() < 2) return 0;
    const std::size_t lines = r.radices.size() % 2 == 0 ? 2 : 4;
    return checked_multiply(lines, pitch(r.n), "fft_plan: scratch");
  }

  void fill_tables() {
    std::size_t size = 0;
    for (const pass<T>& p : passes_) size += table_size(p);
    tables_ = array<T, 1>(size);
    const roots_of_unity<T> root(n_);
    T* next = tables_.data();
    for (pass<T>& p : passes_) {
      p.twiddles = next;
      next = fill_twiddles(p, root, next);
      p.odd_roots = next;
      next = fill_odd_roots(p.radix, next);
    }
  }

  void copy_scaled(const T* in_re, const T* in_im, T* out_re, T* out_im) const {
    const T re = *in_re * scale_, im = *in_im * scale_;
    *out_re = re;
    *out_im = im;
  }

  // The passes between first and last; b.from is where the last one finds its input.
  void run_middle(buffers& b) const {
    for (std::size_t i = 1; i + 1 < passes_.size(); ++i) {
      middle_[i](passes_[i], b.from.re, b.from.im, b.to.re, b.to.im);
      std::swap(b.from, b.to);
    }
  }

  std::size_t n_, pitch_;
  bool swap_;
  T scale_;
  std::vector<pass<T>> passes_;
  std::vector<pass_function<T>> middle_;
  pass_function<T> first_ = nullptr, last_ = nullptr, single_ = nullptr, single_split_ = nullptr;
  array<T, 1> tables_;
};

}  // namespace

template <class T>
std::unique_ptr<const executable<T>> build_stockham(const recipe& r, direction dir,
                                                    long double scale) {
  return std::make_unique<stockham<T>>(r, dir, scale);
}

template std::unique_ptr<const executable<float>> build_stockham(const recipe&, direction,
                                                                 long double);
template std::unique_ptr<const executable<double>> build_stockham(const recipe&, direction,
                                                                  long double);
template std::unique_ptr<const executable<long double>> build_stockham(const recipe&, direction,
                                                                       long double);

}  // namespace papilio::fft_detail
