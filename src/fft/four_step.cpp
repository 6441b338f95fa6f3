// Four-step: with n = n1 n2, j = n2 r + c and k = k1 + n1 k2,
//   X[k1 + n1 k2] = sum_c W_n2^{c k2} ( W_n^{c k1} sum_r W_n1^{r k1} x[n2 r + c] ):
// the columns of x as a matrix [n1, n2], twiddles, and the columns of the transposed matrix. Blocks
// of columns run in cache; the matrix is transposed as it leaves the first of them, so that memory
// is read and written twice, in runs of whole cache lines.
#include "fft/four_step.hpp"

#include "fft/four_step_matrix.hpp"

namespace papilio::fft_detail {
namespace {

template <class T>
class four_step final : public executable<T> {
 public:
  explicit four_step(four_step_matrix<T> steps)
      : executable<T>(steps.scratch_reals(steps.block_reals())), steps_(std::move(steps)) {}

  void execute(const T* in, T* out, T* scratch, int threads) const override {
    run(row_layout::interleaved, rows_at(in, 2 * steps_.n2()), rows_at(out, 2 * steps_.n1()),
        scratch, threads);
  }
  void execute_split(const T* in_re, const T* in_im, T* out_re, T* out_im,
                     T* scratch) const override {
    execute_split_parallel(in_re, in_im, out_re, out_im, scratch, 1);
  }
  void execute_split_parallel(const T* in_re, const T* in_im, T* out_re, T* out_im, T* scratch,
                              int threads) const override {
    const auto n1 = static_cast<std::ptrdiff_t>(steps_.n1());
    const auto n2 = static_cast<std::ptrdiff_t>(steps_.n2());
    run(row_layout::split, {in_re, in_im, n2}, {out_re, out_im, n1}, scratch, threads);
  }

 private:
  void run(row_layout layout, column_rows<const T> in, column_rows<T> out, T* scratch,
           int threads) const {
    const std::size_t n1 = steps_.n1(), n2 = steps_.n2(), lanes = steps_.lanes();
    const base_detail::team team = steps_.team(threads);
    four_step_memory<T> memory(scratch, steps_.block_reals(), team.workers);
    const std::size_t element = layout == row_layout::interleaved ? 2 : 1;
    column_rows<T> matrix = rows_at(memory.matrix(), steps_.pitch());
    // A block of the second step reads and writes the same places of the output, if these are where
    // the first has left the matrix.
    const bool through = layout == row_layout::interleaved && in.re != out.re && n1 % lanes == 0;
    if (through) matrix = out;
    const bool streamed = through && steps_.streams_to(out.re);
    const row_layout last = streamed ? row_layout::streamed : layout;
    steps_.for_each_block(n2, team, [&](std::size_t c, std::size_t block, std::size_t worker) {
      const auto tile =
          steps_.columns().execute_to_tile(layout, shifted(in, c * element), memory.of(worker));
      steps_.put({tile.re, nullptr, tile.stride}, c, block, matrix, streamed);
    });
    steps_.for_each_block(n1, team, [&](std::size_t k, std::size_t block, std::size_t worker) {
      steps_.rows().execute(row_layout::tile,
                            {matrix.re + 2 * lanes * block, nullptr, matrix.stride}, last,
                            shifted(out, k * element), lanes, 1, memory.of(worker));
    });
  }

  four_step_matrix<T> steps_;
};

}  // namespace

template <class T>
std::unique_ptr<const executable<T>> build_four_step(const recipe& r, direction dir,
                                                     long double scale) {
  return std::make_unique<four_step<T>>(four_step_matrix<T>(r, dir, scale));
}

template std::unique_ptr<const executable<float>> build_four_step(const recipe&, direction,
                                                                  long double);
template std::unique_ptr<const executable<double>> build_four_step(const recipe&, direction,
                                                                   long double);

}  // namespace papilio::fft_detail
