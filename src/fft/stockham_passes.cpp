#include "fft/stockham_passes.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "papilio/base/error.hpp"

namespace papilio::fft_detail {
namespace {

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
    out = fill_twiddle_block(p, root, first, p.lanes, out);
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

// Half a scratch line: 16 elements of rounding for the widest store, and 128 bytes so that re
// and im of a power-of-two length do not fall on the same cache sets.
template <class T>
std::size_t pitch(std::size_t n) {
  return (n + 15) / 16 * 16 + 128 / sizeof(T);
}

// A load waits for an older store whose address has the same last 12 bits, as if it were to read
// that. The passes of a line whose steps are powers of two do so where lines of input and output
// lie within 128 bytes of a multiple of 1024 apart: then scratch begins 256 bytes later.
constexpr std::size_t evasion_bytes = 256;

template <class T>
T* apart_from(const T* out, T* scratch) {
  const auto difference =
      reinterpret_cast<std::uintptr_t>(out) - reinterpret_cast<std::uintptr_t>(scratch);
  return (difference + 128) % 1024 < 256 ? scratch + evasion_bytes / sizeof(T) : scratch;
}

}  // namespace

template <class T>
T* fill_twiddle_block(const pass<T>& p, const roots_of_unity<T>& root, std::size_t first,
                      std::size_t lanes, T* out) {
  for (std::size_t j = 1; j < p.radix; ++j, out += 2 * lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::size_t k = (first + lane) % p.l;
      const std::complex<T> w = root(j * k * p.count);
      out[lane] = w.real();
      out[lanes + lane] = w.imag();
    }
  return out;
}

template <class T>
stockham_passes<T>::stockham_passes(const recipe& r, T scale)
    : n_(r.n), passes_(shape_passes<T>(r)) {
  if (passes_.empty()) return;
  passes_.back().scale = scale;
  fill_tables();
  for (const pass<T>& p : passes_) {
    const pass_kernels<T>& kernels = find_pass_kernels<T>(p.radix, p.lanes);
    split_forms_.push_back(runs_narrow(p) ? kernels.narrow : kernels.wide);
  }
}

template <class T>
void stockham_passes<T>::fill_tables() {
  std::size_t size = 0;
  std::string key = base_detail::message("stockham ", n_);
  for (const pass<T>& p : passes_) {
    size += table_size(p);
    key += base_detail::message(' ', p.radix, '/', p.lanes);
  }
  tables_ = table_shared_as<T>(key, [&] {
    array<T, 1> table(size);
    const roots_of_unity<T> root(n_);
    T* next = table.data();
    for (const pass<T>& p : passes_) next = fill_odd_roots(p.radix, fill_twiddles(p, root, next));
    return table;
  });
  const T* next = tables_->data();
  for (pass<T>& p : passes_) {
    p.twiddles = next;
    p.odd_roots = next + twiddle_blocks(p) * (p.radix - 1) * 2 * p.lanes;
    next += table_size(p);
  }
}

template <class T>
std::size_t stockham_passes<T>::scratch_reals() const {
  if (count() < 2) return 0;
  const std::size_t halves = count() % 2 == 0 ? 2 : 4;
  return checked_multiply(halves, pitch<T>(n_), "fft_plan: scratch") + evasion_bytes / sizeof(T);
}

template <class T>
pass_buffers<T> stockham_passes<T>::lines(T* scratch, split_line<T> out, bool in_place) const {
  const std::size_t half = pitch<T>(n_);
  scratch = apart_from(out.re, scratch);
  const split_line<T> own = {scratch, scratch + half};
  if (count() % 2 == 0) return {own, out};
  if (!in_place) return {out, own};
  return {{scratch + 2 * half, scratch + 3 * half}, own};
}

template <class T>
void stockham_passes<T>::run_middle(pass_buffers<T>& b) const {
  for (std::size_t i = 1; i + 1 < passes_.size(); ++i) {
    split_forms_[i](passes_[i], b.from.re, b.from.im, b.to.re, b.to.im);
    std::swap(b.from, b.to);
  }
}

#define PAPILIO_PASSES(T)                                                               \
  template class stockham_passes<T>;                                                    \
  template T* fill_twiddle_block(const pass<T>&, const roots_of_unity<T>&, std::size_t, \
                                 std::size_t, T*);
PAPILIO_PASSES(float)
PAPILIO_PASSES(double)
PAPILIO_PASSES(long double)
#undef PAPILIO_PASSES

}  // namespace papilio::fft_detail
