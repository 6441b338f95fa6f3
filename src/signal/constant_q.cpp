#include "papilio/signal/constant_q.hpp"

#include <algorithm>
#include <cmath>

#include "base/share.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"
#include "signal/constant_q_bank.hpp"

namespace papilio {
namespace {
namespace constant_q_plan_parts {

using signal_detail::constant_q_bank;

template <class T>
void require_finite(const char* function, std::span<const T> signal) {
  for (std::size_t i = 0; i < signal.size(); ++i)
    if (!std::isfinite(signal[i]))
      throw invalid_argument(base_detail::message(function, ": signal must be finite, got ",
                                                  signal[i], " at sample ", i));
}

template <class Value>
void require_extents(const char* function, const char* argument, const view<Value, 2>& values,
                     std::uint64_t segments, std::size_t bins) {
  if (values.extent(0) != segments || values.extent(1) != bins)
    throw shape_error(base_detail::message(function, ": ", argument, " must be ", segments,
                                           " segments x ", bins, " bins, got ", values.extent(0),
                                           " x ", values.extent(1)));
}

/// Computes convert(value) for every segment and bin.
template <class T, class Value, class Convert>
void analyse(const char* function, const constant_q_bank<T>& bank, std::span<const T> signal,
             view<Value, 2> out, int threads, const Convert& convert) {
  require_extents(function, "out", out, bank.segments(signal.size()), bank.options().bins);
  base_detail::require_distinct(function, out);
  if (base_detail::reach(view<const T, 1>(signal.data(), {signal.size()}))
          .overlaps(base_detail::reach(out)))
    throw invalid_argument(base_detail::message(function, ": out overlaps the signal"));
  const auto run = [&](std::size_t first, std::size_t last, std::size_t) {
    typename constant_q_bank<T>::work w(bank);
    for (std::size_t b = first; b < last; ++b) {
      if (!bank.load(signal, b, w)) require_finite(function, signal);
      bank.transform(w);
      const std::size_t from = b * bank.segments_of_block(),
                        to = std::min(from + bank.segments_of_block(), out.extent(0));
      for (std::size_t s = from; s < to; ++s)
        for (std::size_t k = 0; k < out.extent(1); ++k)
          out(s, k) = convert(bank.factors()[k] * w.values(k, bank.lead() + s - from));
    }
  };
  base_detail::share(static_cast<std::size_t>(bank.blocks(signal.size())),
                     base_detail::team_of(threads), run);
}

template <class T>
double dot(std::span<const T> a, std::span<const T> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

/// Computes sums over blocks in their order, whatever threads there are: as many blocks at a time as
/// threads, each in memory of its own.
template <class T>
class block_sums {
 public:
  block_sums(const constant_q_bank<T>& bank, std::size_t samples, int threads)
      : bank_(bank), blocks_(bank.blocks(samples)), team_(base_detail::team_of(threads)) {
    for (std::size_t i = 0; i < team_.at_most(static_cast<std::size_t>(blocks_)).workers; ++i)
      works_.emplace_back(bank);
  }

  /// Calls fill(block, work), which makes values, and adds their adjoint transform to `out`.
  template <class Fill>
  void add(std::span<T> out, const Fill& fill) {
    std::ranges::fill(out, T(0));
    for (std::uint64_t b = 0; b < blocks_; b += works_.size()) {
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(works_.size(), blocks_ - b));
      base_detail::share(count, team_, [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t i = first; i < last; ++i) {
          fill(b + i, works_[i]);
          bank_.transform_adjoint(works_[i]);
        }
      });
      for (std::size_t i = 0; i < count; ++i) store(b + i, works_[i], out);
    }
  }

  /// Leaves only the segments that a block gives.
  void keep_own(std::uint64_t block, std::uint64_t segments,
                typename constant_q_bank<T>::work& w) const {
    const std::uint64_t first = block * bank_.segments_of_block();
    const auto count = static_cast<std::size_t>(
        std::min<std::uint64_t>(bank_.segments_of_block(), segments - first));
    for (std::size_t k = 0; k < w.values.extent(0); ++k) {
      std::complex<T>* const row = &w.values(k, 0);
      std::fill_n(row, bank_.lead(), std::complex<T>());
      std::fill(row + bank_.lead() + count, row + bank_.rows(), std::complex<T>());
    }
  }

 private:
  void store(std::uint64_t block, const typename constant_q_bank<T>::work& w,
             std::span<T> out) const {
    const std::int64_t origin = (static_cast<std::int64_t>(block * bank_.segments_of_block()) -
                                 static_cast<std::int64_t>(bank_.lead())) *
                                static_cast<std::int64_t>(bank_.options().hop);
    const std::int64_t size = static_cast<std::int64_t>(out.size());
    const std::int64_t from = std::max<std::int64_t>(0, -origin),
                       to = std::min<std::int64_t>(std::ssize(w.samples.flat()), size - origin);
    for (std::int64_t i = from; i < to; ++i)
      out[static_cast<std::size_t>(origin + i)] += w.samples[static_cast<std::size_t>(i)];
  }

  const constant_q_bank<T>& bank_;
  std::uint64_t blocks_;
  base_detail::team team_;
  std::vector<typename constant_q_bank<T>::work> works_;
};

}  // namespace constant_q_plan_parts
}  // namespace

using namespace constant_q_plan_parts;

template <class T>
constant_q_plan<T>::constant_q_plan(const constant_q_options& options)
    : bank_(std::make_shared<const constant_q_bank<T>>(options)) {}

template <class T>
const constant_q_options& constant_q_plan<T>::options() const {
  return bank_->options();
}
template <class T>
std::span<const double> constant_q_plan<T>::frequencies_hz() const {
  return bank_->frequencies_hz();
}
template <class T>
std::span<const double> constant_q_plan<T>::lengths() const {
  return bank_->lengths();
}
template <class T>
std::size_t constant_q_plan<T>::block_size() const {
  return bank_->block_size();
}
template <class T>
std::uint64_t constant_q_plan<T>::segments(std::uint64_t samples) const {
  return bank_->segments(samples);
}

template <class T>
void constant_q_plan<T>::execute(std::span<const T> signal, view<std::complex<T>, 2> out,
                                 int threads) const {
  analyse("constant_q_plan::execute", *bank_, signal, out, threads,
          [](std::complex<T> value) { return value; });
}

template <class T>
array<std::complex<T>, 2> constant_q_plan<T>::execute(std::span<const T> signal,
                                                      int threads) const {
  array<std::complex<T>, 2> out({static_cast<std::size_t>(segments(signal.size())), bins()});
  execute(signal, out.view(), threads);
  return out;
}

template <class T>
void constant_q_plan<T>::execute_magnitude(std::span<const T> signal, view<T, 2> out,
                                           int threads) const {
  analyse("constant_q_plan::execute_magnitude", *bank_, signal, out, threads,
          [](std::complex<T> v) { return std::sqrt(v.real() * v.real() + v.imag() * v.imag()); });
}

// Conjugate gradients on the normal equations A* A x = A* y, A the transform with atoms of l1 norm 1.
template <class T>
void constant_q_plan<T>::inverse(view<const std::complex<T>, 2> values, std::span<T> out,
                                 std::size_t iterations, int threads) const {
  constexpr const char* function = "constant_q_plan::inverse";
  const std::uint64_t count = segments(out.size());
  require_extents(function, "values", values, count, bins());
  if (iterations == 0)
    throw invalid_argument(
        base_detail::message(function, ": iterations must be at least 1, got ", iterations));
  if (base_detail::reach(values).overlaps(base_detail::reach(view<T, 1>(out.data(), {out.size()}))))
    throw invalid_argument(base_detail::message(function, ": out overlaps the values"));
  for (std::size_t s = 0; s < values.extent(0); ++s)
    for (std::size_t k = 0; k < values.extent(1); ++k)
      if (!std::isfinite(values(s, k).real()) || !std::isfinite(values(s, k).imag()))
        throw invalid_argument(
            base_detail::message(function, ": values must be finite, got ", values(s, k).real(),
                                 " + i ", values(s, k).imag(), " at segment ", s, ", bin ", k));
  const constant_q_bank<T>& bank = *bank_;
  block_sums<T> sums(bank, out.size(), threads);
  array<T, 1> residual(out.size());
  sums.add(residual.flat(), [&](std::uint64_t block, auto& w) {
    const auto first = static_cast<std::size_t>(block * bank.segments_of_block());
    const std::size_t own = std::min(bank.segments_of_block(), values.extent(0) - first);
    for (std::size_t k = 0; k < bins(); ++k)
      for (std::size_t i = 0; i < own; ++i)
        w.values(k, bank.lead() + i) = values(first + i, k) / bank.factors()[k];
    sums.keep_own(block, count, w);
  });
  std::ranges::fill(out, T(0));
  array<T, 1> along = residual, image(out.size());
  double square = dot<T>(residual.flat(), residual.flat());
  for (std::size_t i = 0; i < iterations && square > 0; ++i) {
    sums.add(image.flat(), [&](std::uint64_t block, auto& w) {
      bank.load(along.flat(), block, w);
      bank.transform(w);
      sums.keep_own(block, count, w);
    });
    const double curvature = dot<T>(along.flat(), image.flat());
    if (!(curvature > 0)) break;  // no bin passes what is left
    const T step = static_cast<T>(square / curvature);
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] += step * along[j];
      residual[j] -= step * image[j];
    }
    const double next = dot<T>(residual.flat(), residual.flat());
    const T turn = static_cast<T>(next / square);
    for (std::size_t j = 0; j < out.size(); ++j) along[j] = residual[j] + turn * along[j];
    square = next;
  }
}

template class constant_q_plan<float>;
template class constant_q_plan<double>;

}  // namespace papilio
