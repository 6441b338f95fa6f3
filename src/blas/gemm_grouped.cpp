#include "papilio/blas/gemm.hpp"

#include <algorithm>
#include <complex>
#include <vector>

#include "blas/gemm_check.hpp"

namespace papilio {
namespace {

using blas_detail::element_set;

// An operand of a problem, by the range of its addresses.
struct operand_range {
  base_detail::byte_range bytes;
  std::size_t problem = 0;
  char name = 'a';
};

template <class T>
element_set elements(const gemm_item<T>& p, char name) {
  using base_detail::any_rank;
  using blas_detail::elements_of;
  return name == 'a'   ? elements_of(any_rank(p.a))
         : name == 'b' ? elements_of(any_rank(p.b))
                       : elements_of(any_rank(p.c));
}

template <class T>
void check_pair(std::span<const gemm_item<T>> problems, const operand_range& x,
                const operand_range& y) {
  if (x.name != 'c' && y.name != 'c') return;
  const auto& [written, other] = x.name == 'c' ? std::pair(x, y) : std::pair(y, x);
  if (blas_detail::shares_memory(elements(problems[written.problem], 'c'),
                                 elements(problems[other.problem], other.name)))
    throw invalid_argument(base_detail::message("gemm_grouped: c of problem ", written.problem,
                                                " shares memory with ", other.name, " of problem ",
                                                other.problem));
}

// Only operands whose ranges overlap are looked at in pairs.
template <class T>
void check_memory(std::span<const gemm_item<T>> problems) {
  std::vector<operand_range> ranges;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const auto& p = problems[i];
    ranges.push_back({base_detail::reach(p.a), i, 'a'});
    ranges.push_back({base_detail::reach(p.b), i, 'b'});
    ranges.push_back({base_detail::reach(p.c), i, 'c'});
  }
  std::ranges::sort(ranges, {}, [](const operand_range& r) { return r.bytes.first; });
  for (std::size_t i = 0; i < ranges.size(); ++i)
    for (std::size_t j = i + 1; j < ranges.size(); ++j) {
      if (ranges[j].bytes.first >= ranges[i].bytes.last) break;
      check_pair(problems, ranges[i], ranges[j]);
    }
}

}  // namespace

template <class T>
void gemm_grouped(std::span<const gemm_item<T>> problems, int threads) {
  constexpr const char* who = "gemm_grouped";
  blas_detail::check_threads(who, threads);
  std::vector<blas_detail::ready_product<T>> ready;
  ready.reserve(problems.size());
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const auto& p = problems[i];
    const std::string name = base_detail::message(who, ": problem ", i);
    const blas_detail::gemm_product<T> product{p.alpha, p.beta, {p.a, p.op_a}, {p.b, p.op_b}, p.c};
    blas_detail::check_shapes(name.c_str(), product);
    blas_detail::require_distinct_elements(name.c_str(), p.c);
    ready.emplace_back(product);
  }
  check_memory(problems);
  blas_detail::run(std::span(ready), threads);
}

template PAPILIO_API void gemm_grouped(std::span<const gemm_item<float>>, int);
template PAPILIO_API void gemm_grouped(std::span<const gemm_item<double>>, int);
template PAPILIO_API void gemm_grouped(std::span<const gemm_item<std::complex<float>>>, int);
template PAPILIO_API void gemm_grouped(std::span<const gemm_item<std::complex<double>>>, int);

}  // namespace papilio
