#include "decompose/mode_gram.hpp"

#include <algorithm>
#include <vector>

#include "papilio/base/parallel_for.hpp"
#include "papilio/blas/symmetric.hpp"

namespace papilio::decompose_detail {
namespace {

// 256 columns of 100 rows stay in the cache between their conversion and their product.
constexpr std::size_t gram_columns = 256;
constexpr double gram_worth_threads = 1 << 22;  // multiplications

void add_chunk(const mode_split& split, std::size_t count, const double* columns,
               array<double, 2>& sum) {
  const bool by_columns = split.right == 1;
  const view<const double, 2> chunk(columns, by_columns ? extents_type<2>{count, split.extent}
                                                        : extents_type<2>{split.extent, count});
  syrk(1.0, chunk, 1.0, sum,
       {.a = by_columns ? matrix_op::transpose : matrix_op::none,
        .triangle = matrix_triangle::lower,
        .threads = 1});
}

// Groups of chunks that have a sum of their own. A large matrix has one: there is no room for more.
std::size_t groups_of(const mode_split& split, std::size_t chunks) {
  const double work = static_cast<double>(split.extent) * static_cast<double>(split.extent) *
                      static_cast<double>(split.columns());
  if (work < gram_worth_threads || split.extent > 1024) return 1;
  return std::min<std::size_t>(chunks, 8);
}

void add(const array<double, 2>& sum, array<double, 2>& total) {
  for (std::size_t i = 0; i < sum.size(); ++i) total.data()[i] += sum.data()[i];
}

}  // namespace

template <class T>
void unfold(const T* x, const mode_split& split, std::size_t first, std::size_t count,
            double* out) {
  if (split.right == 1) {
    const T* const from = x + first * split.extent;
    for (std::size_t i = 0; i < count * split.extent; ++i) out[i] = static_cast<double>(from[i]);
    return;
  }
  for (std::size_t done = 0; done < count;) {
    const std::size_t outer = (first + done) / split.right, inner = (first + done) % split.right;
    const std::size_t length = std::min(count - done, split.right - inner);
    for (std::size_t i = 0; i < split.extent; ++i) {
      const T* const from = x + (outer * split.extent + i) * split.right + inner;
      double* const to = out + i * count + done;
      for (std::size_t j = 0; j < length; ++j) to[j] = static_cast<double>(from[j]);
    }
    done += length;
  }
}

template <class T>
array<double, 2> mode_gram(const T* x, const mode_split& split, int threads) {
  const std::size_t n = split.extent, columns = split.columns();
  const std::size_t length = std::min(columns, gram_columns);
  const std::size_t chunks = (columns + length - 1) / length, groups = groups_of(split, chunks);
  const auto add_group = [&](std::size_t group, double* buffer, array<double, 2>& sum) {
    const std::size_t end = (group + 1) * chunks / groups;
    for (std::size_t chunk = group * chunks / groups; chunk < end; ++chunk) {
      const std::size_t first = chunk * length, count = std::min(length, columns - first);
      unfold(x, split, first, count, buffer);
      add_chunk(split, count, buffer, sum);
    }
  };
  // A worker has one buffer, and one alone a second sum: fresh memory costs more than filling it.
  array<double, 2> total({n, n});
  const std::size_t workers = std::min(groups, static_cast<std::size_t>(thread_count(threads)));
  if (workers == 1) {
    array<double, 1> buffer(n * length, uninitialized);
    add_group(0, buffer.data(), total);
    array<double, 2> sum;
    for (std::size_t group = 1; group < groups; ++group) {
      if (sum.empty()) sum = array<double, 2>({n, n}, uninitialized);
      std::ranges::fill(sum, 0.0);
      add_group(group, buffer.data(), sum);
      add(sum, total);
    }
    return total;
  }
  std::vector<array<double, 2>> sums(groups);
  papilio::parallel_for(workers, threads, [&](std::size_t worker) {
    array<double, 1> buffer(n * length, uninitialized);
    for (std::size_t group = worker; group < groups; group += workers) {
      sums[group] = array<double, 2>({n, n});
      add_group(group, buffer.data(), sums[group]);
    }
  });
  for (const array<double, 2>& sum : sums) add(sum, total);
  return total;
}

#define PAPILIO_INSTANTIATE(T)                                                          \
  template void unfold(const T*, const mode_split&, std::size_t, std::size_t, double*); \
  template array<double, 2> mode_gram(const T*, const mode_split&, int)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE
template void unfold(const bool*, const mode_split&, std::size_t, std::size_t, double*);

}  // namespace papilio::decompose_detail
