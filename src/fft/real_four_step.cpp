// Even n, the half length by a four-step: every block of columns of the inverse is entangled as it
// enters its tile (the identity is in real_pass.hpp). The forward transform untangles in a pass of
// its own: columns k1 and n1 - k1 of its second step are each other's mirrors, but taking blocks of
// them in pairs, through tiles, was measured to be no faster.
#include <algorithm>
#include <complex>
#include <utility>

#include "base/roots_of_unity.hpp"
#include "fft/four_step_matrix.hpp"
#include "fft/real_transform.hpp"
#include "fft/untangled_forward.hpp"

namespace papilio::fft_detail {

using base_detail::roots_of_unity;
namespace {

template <class T>
class real_four_step final : public real_transform<T> {
 public:
  real_four_step(const recipe& part, real_scales scales)
      : real_four_step(untangled_forward<T>(part, scales),
                       four_step_matrix<T>(part, direction::inverse, 1), scales) {}

  void forward(const T* in, T* bins, T* scratch, int threads) const override {
    to_bins_.run(in, bins, scratch, threads);
  }

  void inverse(const T* bins, T* out, T* scratch, int threads) const override {
    const std::size_t n1 = steps_.n1(), n2 = steps_.n2(), lanes = steps_.lanes();
    const base_detail::team team = steps_.team(threads);
    four_step_memory<T> memory(scratch, own_reals(steps_), team.workers);
    const column_rows<T> to = rows_at(out, 2 * n1);
    const bool through = bins != out && n1 % lanes == 0;
    const bool streamed = through && steps_.streams_to(out);
    const column_rows<T> matrix = through ? to : rows_at(memory.matrix(), steps_.pitch());
    steps_.for_each_block(n2, team, [&](std::size_t c, std::size_t block, std::size_t worker) {
      const column_rows<T> tile = rows_at(memory.of(worker) + steps_.block_reals(), 2 * lanes);
      moves_.entangle(n1, n2, scale_, ends_,
                      {column_roots_.data() + 2 * lanes * block, row_roots_.data()}, bins, c, tile);
      const auto result = steps_.columns().execute_to_tile(
          row_layout::tile, {tile.re, nullptr, tile.stride}, memory.of(worker));
      steps_.put({result.re, nullptr, result.stride}, c, block, matrix, streamed);
    });
    steps_.for_each_block(n1, team, [&](std::size_t k, std::size_t block, std::size_t worker) {
      steps_.rows().execute(row_layout::tile,
                            {matrix.re + 2 * lanes * block, nullptr, matrix.stride},
                            streamed ? row_layout::streamed : row_layout::interleaved,
                            shifted(to, 2 * k), lanes, 1, memory.of(worker));
    });
  }

 private:
  real_four_step(untangled_forward<T> to_bins, four_step_matrix<T> steps, real_scales scales)
      : real_transform<T>(2 * steps.n1() * steps.n2(),
                          std::max(to_bins.scratch_reals(), steps.scratch_reals(own_reals(steps)))),
        scale_(static_cast<T>(scales.inverse)),
        ends_(static_cast<T>(scales.inverse_ends)),
        to_bins_(std::move(to_bins)),
        steps_(std::move(steps)) {
    fill_entangling();
  }

  // A thread's: a block, and a tile.
  static std::size_t own_reals(const four_step_matrix<T>& steps) {
    return steps.block_reals() + 2 * steps.lanes() * steps.n1();
  }

  // i s conj W^c for the blocks of columns, in registers; conj W^{n2 r} for every row r.
  void fill_entangling() {
    const std::size_t n1 = steps_.n1(), n2 = steps_.n2(), lanes = steps_.lanes();
    const roots_of_unity<T> root(2 * n1 * n2);
    const std::size_t blocks = (n2 + lanes - 1) / lanes;
    column_roots_ = array<T, 1>(2 * lanes * blocks);
    for (std::size_t block = 0; block < blocks; ++block)
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::complex<T> w = root(std::min(block * lanes, n2 - lanes) + lane);
        T* const at = column_roots_.data() + 2 * lanes * block + lane;
        at[0] = scale_ * w.imag();
        at[lanes] = scale_ * w.real();
      }
    row_roots_ = array<T, 1>(2 * n1);
    for (std::size_t r = 0; r < n1; ++r) {
      const std::complex<T> w = root(n2 * r);
      row_roots_[2 * r] = w.real();
      row_roots_[2 * r + 1] = -w.imag();
    }
  }

  T scale_, ends_;
  untangled_forward<T> to_bins_;
  four_step_matrix<T> steps_;
  const column_moves<T>& moves_ = find_column_moves<T>();
  array<T, 1> column_roots_, row_roots_;
};

}  // namespace

template <class T>
std::unique_ptr<const real_transform<T>> build_real_four_step(const recipe& r, real_scales scales) {
  if (r.parts[0].kind != recipe_kind::four_step) return nullptr;
  return std::make_unique<real_four_step<T>>(r.parts[0], scales);
}

template std::unique_ptr<const real_transform<float>> build_real_four_step(const recipe&,
                                                                           real_scales);
template std::unique_ptr<const real_transform<double>> build_real_four_step(const recipe&,
                                                                            real_scales);

}  // namespace papilio::fft_detail
