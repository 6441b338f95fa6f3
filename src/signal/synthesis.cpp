#include "signal/synthesis.hpp"

#include <algorithm>
#include <utility>

#include "papilio/base/error.hpp"

namespace papilio::signal_detail {

template <class T>
synthesis<T>::synthesis(const windowed_options& resolved)
    : analysis_(std::make_shared<const segment_transform<T>>(resolved)),
      is_adjoint_(false),
      plan_(analysis_->plan()),
      weights_(geometry(), analysis_->weights(), analysis_->window()) {}

template <class T>
synthesis<T>::synthesis(std::shared_ptr<const segment_transform<T>> analysis)
    : analysis_(std::move(analysis)),
      is_adjoint_(true),
      plan_(analysis_->plan().adjoint()),
      weights_(geometry(), analysis_->weights(), analysis_->window()) {}

template <class T>
void synthesis<T>::execute(const view<const std::complex<T>, 1>& bins, T* samples,
                           std::complex<T>* scratch) const {
  const std::size_t n = plan_.size(), half = plan_.bins();
  const std::complex<T>* from = bins.data();
  const bool two = analysis_->options().sides == stft_sides::two;
  if (two || analysis_->halves_ends() || bins.stride(0) != 1) {
    const T mean = is_adjoint_ ? T(1) : T(0.5);
    for (std::size_t k = 0; k < half; ++k)
      scratch[k] = two && k > 0 && 2 * k < n ? (bins[k] + std::conj(bins[n - k])) * mean : bins[k];
    if (analysis_->halves_ends()) {
      const T ends = is_adjoint_ ? T(0.5) : T(2);
      scratch[0] *= ends;
      if (n % 2 == 0) scratch[n / 2] *= ends;
    }
    from = scratch;
  }
  plan_.inverse({from, half}, {samples, n}, {scratch + half, plan_.scratch_size()});
}

template <class T>
void synthesis<T>::finish(const T* sums, T* out, std::uint64_t p, std::size_t count,
                          std::uint64_t segments) const {
  if (!is_adjoint_)
    weights_.divide(sums, out, p, count, segments);
  else if (out != sums)
    std::copy_n(sums, count, out);
}

template <class T>
void synthesis<T>::require_reached(const char* function, std::uint64_t segments,
                                   std::uint64_t samples, std::uint64_t first) const {
  const std::uint64_t end = checked_add<std::uint64_t>(first, samples, function);
  const std::uint64_t reach = segments == 0 ? 0 : geometry().reach(segments);
  if (end > reach)
    throw shape_error(base_detail::message(function, ": samples ", first, " ... ", end - 1,
                                           " are asked for, ", segments, " segments reach ", reach,
                                           " samples"));
  const std::uint64_t lead = geometry().lead();
  weights_.require_covered(function, first + lead, end + lead, segments);
}

template class synthesis<float>;
template class synthesis<double>;

}  // namespace papilio::signal_detail
