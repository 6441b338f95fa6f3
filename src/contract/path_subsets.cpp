// best(S) = min over A + B = S of best(A) + best(B) + flops(A, B), over all subsets of the tensors.
// Subsets that cost the bound or more are left out, and with them all that is made of them.
#include "path_subsets.hpp"

#include <algorithm>
#include <limits>

#include "papilio/base/error.hpp"

namespace papilio::path_detail {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t byte_values = 256;
constexpr std::size_t most_kinds = 2048;
// With fewer tensors a run is short; with more, the clock is looked at before each subset.
constexpr std::size_t count_of_short_runs = 10;

}  // namespace

// Labels that the same tensors have count as one, so that few words hold all of them.
void subset_search::gather_kinds(const search_network& network,
                                 const std::vector<const word*>& sets, const word* outside) {
  holders_.resize(network.labels, 0);
  for (std::size_t i = 0; i < count_; ++i)
    for_each_bit(sets[i], network.words, [&](std::size_t label) {
      if (!holders_[label]) touched_.push_back(label);
      holders_[label] |= std::uint32_t(1) << i;
    });
  std::ranges::sort(touched_);
  kinds_.clear();
  for (const std::size_t label : touched_) {
    const bool kept = outside[label / 64] >> label % 64 & 1;
    const std::uint32_t who = holders_[label] | std::uint32_t(kept) << count_;
    holders_[label] = 0;
    if (gave_up_) continue;
    const auto same = std::ranges::find(kinds_, who, &kind::holders);
    if (same == kinds_.end() && kinds_.size() == most_kinds)
      gave_up_ = true;
    else if (same == kinds_.end())
      kinds_.push_back({who, network.sizes[label]});
    else
      same->size = std::min(same->size * network.sizes[label], largest_cost);
  }
  touched_.clear();
  words_ = std::max<std::size_t>((kinds_.size() + 63) / 64, 1);
  tables_.assign(words_ * 8 * byte_values, 1);
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    double* const table = tables_.data() + k / 8 * byte_values;
    for (std::size_t value = 0; value < byte_values; ++value)
      if (value >> k % 8 & 1) table[value] *= kinds_[k].size;
  }
}

template <std::size_t Words>
void subset_search::split(std::size_t subset) {
  const auto size_of = [&](const word* a, const word* b) {
    double size = 1;
    const double* table = tables_.data();
    for (std::size_t w = 0; w < Words; ++w, table += 8 * byte_values) {
      const double* part = table;
      for (word rest = a[w] | b[w]; rest; rest >>= 8, part += byte_values) size *= part[rest & 255];
    }
    return size;
  };
  const word* const result = labels_.data() + subset * Words;
  const double result_size = size_of(result, result);
  const bool last = subset + 1 == best_.size();
  if (result_size >= bound_ || (!last && result_size > largest_)) return;
  const std::size_t lowest = subset & (~subset + 1), others = subset ^ lowest;
  double best = bound_;
  for (std::size_t b = others; b; b = (b - 1) & others) {
    const std::size_t a = subset ^ b;
    const double parts = best_[a] + best_[b];
    if (parts + result_size >= best) continue;
    const word *x = labels_.data() + a * Words, *y = labels_.data() + b * Words;
    bool sums = false;
    for (std::size_t w = 0; w < Words; ++w) sums |= (x[w] | y[w]) != result[w];
    const double cost = parts + step_flops(size_of(x, y), sums);
    if (cost >= best) continue;
    best = cost;
    part_[subset] = static_cast<std::uint32_t>(a);
    best_[subset] = cost;
  }
}

template <std::size_t Words>
void subset_search::run_as() {
  const std::size_t subsets = std::size_t(1) << count_;
  any_.assign((subsets + 1) * Words, 0);
  labels_.assign(subsets * Words, 0);
  std::vector<word> kept(Words);
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    for (std::size_t i = 0; i < count_; ++i)
      if (kinds_[k].holders >> i & 1)
        any_[(std::size_t(1) << i) * Words + k / 64] |= word(1) << k % 64;
    if (kinds_[k].holders >> count_ & 1) kept[k / 64] |= word(1) << k % 64;
  }
  for (std::size_t s = 1; s < subsets; ++s)
    for (std::size_t w = 0; w < Words; ++w)
      any_[s * Words + w] = any_[(s & (s - 1)) * Words + w] | any_[(s & (~s + 1)) * Words + w];
  for (std::size_t s = 1; s < subsets; ++s)
    for (std::size_t w = 0; w < Words; ++w)
      labels_[s * Words + w] =
          any_[s * Words + w] &
          (s & (s - 1) ? any_[(subsets - 1 - s) * Words + w] | kept[w] : ~word(0));
  best_.assign(subsets, infinite);
  part_.assign(subsets, 0);
  for (std::size_t s = 1; s < subsets; ++s) {
    if (count_ > count_of_short_runs && (gave_up_ = clock::now() >= end_)) return;
    if (s & (s - 1))
      split<Words>(s);
    else
      best_[s] = 0;
  }
}

int subset_search::name_steps(std::size_t subset, named_path& path) const {
  if (!(subset & (subset - 1))) return std::countr_zero(subset);
  const int a = name_steps(part_[subset], path);
  const int b = name_steps(subset ^ part_[subset], path);
  path.push_back({a, b});
  return static_cast<int>(count_ + path.size() - 1);
}

named_path subset_search::run(const search_network& network, const std::vector<const word*>& sets,
                              const word* outside, double bound, double largest) {
  count_ = sets.size();
  bound_ = bound;
  largest_ = largest;
  if (count_ > most_subset_operands)
    throw invalid_argument(base_detail::message("find_path: all subsets of at most ",
                                                most_subset_operands, " operands, got ", count_));
  gave_up_ = false;
  gather_kinds(network, sets, outside);
  if (gave_up_) return {};
  if (words_ == 1)
    run_as<1>();
  else if (words_ == 2)
    run_as<2>();
  else if (words_ <= 4) {
    words_ = 4;
    tables_.resize(4 * 8 * byte_values, 1);
    run_as<4>();
  } else {
    tables_.resize(most_kinds / 8 * byte_values, 1);
    run_as<most_kinds / 64>();
  }
  if (gave_up_) return {};
  named_path path;
  const std::size_t all = best_.size() - 1;
  if (count_ > 1 && best_[all] < bound) name_steps(all, path);
  return path;
}

}  // namespace papilio::path_detail
