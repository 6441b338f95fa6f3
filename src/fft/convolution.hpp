#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "fft/blocks.hpp"
#include "fft/executable.hpp"
#include "fft/four_step_matrix.hpp"
#include "fft/pointwise.hpp"
#include "papilio/base/array.hpp"

namespace papilio::fft_detail {

/// A cyclic convolution of m points: a transform forward, the product with a filter's spectrum, and
/// a transform back, or forward again.
///
/// Where the transforms are four-step ones, the spectrum is never in memory. With m = n1 n2,
/// j = n2 r + c and k = k1 + n1 k2 the second step of the first transform is over c, for each k1;
/// the transform that follows, four-step with n1 and n2 exchanged, begins with sums over k2, for
/// each k1. A block of columns k1 is transformed, multiplied, and transformed again, in tiles, and
/// memory is swept three times: over r, over c and k2, over k1.
template <class T>
class convolution {
 public:
  /// `part`: the transform's recipe. `filter`: m real parts, then m imaginary ones, the scale of
  /// the result included.
  convolution(const recipe& part, direction second, array<T, 1> filter)
      : m_(part.n), back_(second == direction::inverse), filter_(std::move(filter)) {
    if constexpr (!std::is_same_v<T, long double>) {
      if (part.kind == recipe_kind::four_step) {
        steps_.emplace(part, second);
        filter_ = steps_->tiled(filter_);
        scratch_reals_ = steps_->scratch_reals();
        return;
      }
    }
    transform_ = build<T>(part, direction::forward, 1);
    shares_ = part.kind == recipe_kind::bluestein;
    scratch_reals_ = checked_add(2 * pitch(), transform_->scratch_reals(), "fft_plan: scratch");
  }

  std::size_t scratch_reals() const { return scratch_reals_; }

  /// Calls load(j, count, re, im) for all elements, which fills them, then store(j, count, re, im)
  /// for those of the result, in runs of any length; on several threads at once. `constant` is
  /// added to every element of the result. Returns the sum of all that was loaded.
  template <class Load, class Store>
  std::complex<T> run(T* scratch, int threads, std::complex<T> constant, const Load& load,
                      const Store& store) const {
    if constexpr (!std::is_same_v<T, long double>) {
      if (steps_) return steps_->run(filter_.data(), scratch, threads, constant, load, store);
    }
    if (!shares_) threads = 1;
    T *const re = scratch, *const im = re + pitch(), *const rest = im + pitch();
    for_each_range(m_, threads,
                   [&](std::size_t j, std::size_t last) { load(j, last - j, re + j, im + j); });
    transform_->execute_split_parallel(re, im, re, im, rest, threads);
    const std::complex<T> sum(re[0], im[0]);
    for_each_range(m_, threads, [&](std::size_t k, std::size_t last) {
      pointwise_.multiply(last - k, re + k, im + k, filter_.data() + k, filter_.data() + m_ + k,
                          re + k, im + k);
    });
    re[0] += constant.real();
    im[0] += constant.imag();
    // A transform back is one forward with re and im exchanged on both sides.
    T *const a = back_ ? im : re, *const b = back_ ? re : im;
    transform_->execute_split_parallel(a, b, a, b, rest, threads);
    for_each_range(m_, threads,
                   [&](std::size_t j, std::size_t last) { store(j, last - j, re + j, im + j); });
    return sum;
  }

 private:
  class four_steps {
   public:
    four_steps(const recipe& part, direction second)
        : back_(second == direction::inverse),
          there_(part, direction::forward, 1),
          then_({part.kind, part.n, {}, {part.parts[1], part.parts[0]}}, second, 1) {}

    // The filter in the order of the middle step: rows k2 of each block of columns k1.
    array<T, 1> tiled(const array<T, 1>& filter) const {
      const std::size_t n1 = there_.n1(), n2 = there_.n2(), lanes = there_.lanes();
      const std::size_t blocks = (n1 + lanes - 1) / lanes;
      array<T, 1> result(2 * lanes * n2 * blocks, uninitialized);
      T* next = result.data();
      for (std::size_t block = 0; block < blocks; ++block)
        for (std::size_t k2 = 0; k2 < n2; ++k2, next += 2 * lanes) {
          const T* const from = filter.data() + std::min(block * lanes, n1 - lanes) + n1 * k2;
          std::copy_n(from, lanes, next);
          std::copy_n(from + n1 * n2, lanes, next + lanes);
        }
      return result;
    }

    std::size_t scratch_reals() const {
      constexpr const char* what = "fft_plan: scratch";
      return checked_add(there_.scratch_reals(own_reals()), then_.scratch_reals(0), what);
    }

    template <class Load, class Store>
    std::complex<T> run(const T* filter, T* scratch, int threads, std::complex<T> constant,
                        const Load& load, const Store& store) const {
      const std::size_t n1 = there_.n1(), n2 = there_.n2(), lanes = there_.lanes();
      const base_detail::team team = there_.team(threads);
      four_step_memory<T> memory(scratch, own_reals(), team.workers);
      const column_rows<T> first = rows_at(memory.matrix(), there_.pitch()),
                           second = rows_at(first.re + n2 * there_.pitch(), then_.pitch());
      for_each_group(
          team, [&](std::size_t c, std::size_t block, std::size_t count, std::size_t worker) {
            T* const own = memory.of(worker);
            const column_rows<T> loaded = buffer(own, count);
            for (std::size_t r = 0; r < n1; ++r)
              load(n2 * r + c, count * lanes, row_of(loaded.re, r), row_of(loaded.im, r));
            for (std::size_t b = 0; b < count; ++b) {
              const column_rows<T> tile = there_.columns().execute_to_tile(
                  row_layout::split, {loaded.re + b * lanes, loaded.im + b * lanes, loaded.stride},
                  own);
              there_.put({tile.re, nullptr, tile.stride}, c + b * lanes, block + b, first, false);
            }
          });
      std::complex<T> sum;
      there_.for_each_block(n1, team, [&](std::size_t k, std::size_t block, std::size_t worker) {
        T* const own = memory.of(worker);
        const column_rows<T> spectrum =
            there_.rows().execute_to_tile(row_layout::tile, column_of(first, block), own);
        if (k == 0) sum = {spectrum.re[0], spectrum.re[lanes]};
        moves_.multiply[back_](n2, filter + 2 * lanes * n2 * block, spectrum);
        if (k == 0) {
          spectrum.re[back_ ? lanes : 0] += constant.real();
          spectrum.re[back_ ? 0 : lanes] += constant.imag();
        }
        // The second transform works in the memory's other tiles.
        const std::size_t tile = 2 * lanes * there_.rows().tile_rows();
        const column_rows<T> result = then_.columns().execute_to_tile(
            row_layout::tile, {spectrum.re, nullptr, spectrum.stride},
            spectrum.re == own ? own + tile : own);
        then_.put({result.re, nullptr, result.stride}, k, block, second, false);
      });
      for_each_group(
          team, [&](std::size_t c, std::size_t block, std::size_t count, std::size_t worker) {
            T* const own = memory.of(worker);
            const column_rows<T> result = buffer(own, count);
            for (std::size_t b = 0; b < count; ++b)
              then_.rows().execute(
                  row_layout::tile, column_of(second, block + b), row_layout::split,
                  {result.re + b * lanes, result.im + b * lanes, result.stride}, lanes, 1, own);
            for (std::size_t r = 0; r < n1; ++r)
              store(n2 * r + c, count * lanes, row_of(result.re, r), row_of(result.im, r));
          });
      return sum;
    }

   private:
    // Blocks that are loaded and stored together: rows of them are runs of memory that take their
    // cache lines whole, where the rows begin a power of two apart.
    static constexpr std::size_t group = 4;

    // A thread's: a block, and rows of a group.
    std::size_t own_reals() const { return there_.block_reals() + there_.n1() * buffer_stride(); }
    std::size_t buffer_stride() const { return (2 * group + 1) * there_.lanes(); }
    column_rows<T> buffer(T* own, std::size_t count) const {
      T* const re = own + there_.block_reals();
      return {re, re + count * there_.lanes(), static_cast<std::ptrdiff_t>(buffer_stride())};
    }
    T* row_of(T* of, std::size_t r) const { return of + r * buffer_stride(); }

    // body(first column, its block, blocks, worker) for all columns c.
    template <class Body>
    void for_each_group(base_detail::team team, const Body& body) const {
      const std::size_t n2 = there_.n2(), lanes = there_.lanes(), blocks = n2 / lanes;
      base_detail::share((blocks + group - 1) / group, team,
                         [&](std::size_t first, std::size_t last, std::size_t worker) {
                           for (std::size_t g = first * group; g < std::min(last * group, blocks);
                                g += group)
                             body(g * lanes, g, std::min(group, blocks - g), worker);
                           if (last * group >= blocks && n2 % lanes != 0)
                             body(n2 - lanes, blocks, std::size_t{1}, worker);
                         });
    }

    column_rows<const T> column_of(column_rows<T> matrix, std::size_t block) const {
      return {matrix.re + 2 * there_.lanes() * block, nullptr, matrix.stride};
    }

    bool back_;
    four_step_matrix<T> there_, then_;
    const column_moves<T>& moves_ = find_column_moves<T>();
  };
  struct no_steps {};

  // 128 bytes more, so that planes whose length is a power of two do not fall on the same sets.
  std::size_t pitch() const { return checked_add(m_, 128 / sizeof(T), "fft_plan: scratch"); }

  std::size_t m_, scratch_reals_ = 0;
  bool back_,
      shares_ = false;  // shares: where the transform does not, no thread is worth its start
  array<T, 1> filter_;
  std::optional<std::conditional_t<std::is_same_v<T, long double>, no_steps, four_steps>> steps_;
  std::unique_ptr<const executable<T>> transform_;
  const pointwise_kernels<T>& pointwise_ = find_pointwise_kernels<T>();
};

}  // namespace papilio::fft_detail
