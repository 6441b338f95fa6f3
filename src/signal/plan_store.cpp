#include "signal/plan_store.hpp"

namespace papilio::signal_detail {
namespace {

constexpr std::size_t most_kept = 16;

/// Whoever asks for what is being built waits for it.
template <class Plan, class Make>
Plan find_or_make(std::map<std::string, Plan>& kept, std::mutex& mutex, const std::string& key,
                  const Make& make) {
  const std::lock_guard lock(mutex);
  if (const auto found = kept.find(key); found != kept.end()) return found->second;
  if (kept.size() == most_kept) kept.clear();
  return kept.emplace(key, make()).first->second;
}

}  // namespace

template <class T>
stft_plan<T> plan_store::stft(const stft_options& o) {
  const std::string key = base_detail::message(
      o.n_fft, ' ', o.hop, ' ', o.window_length, ' ', to_string(o.window), ' ', int{o.centre}, ' ',
      static_cast<int>(o.padding), ' ', int{o.pad_end}, ' ', static_cast<int>(o.sides), ' ',
      static_cast<int>(o.scaling), ' ', o.scaling == stft_scaling::psd ? o.rate_hz : 1.0);
  auto& kept = std::get<std::map<std::string, stft_plan<T>>>(stft_);
  return find_or_make(kept, mutex_, key, [&] { return stft_plan<T>(o); });
}

template stft_plan<float> plan_store::stft(const stft_options&);
template stft_plan<double> plan_store::stft(const stft_options&);

std::shared_ptr<const mel_filterbank<double>> plan_store::mel(double rate_hz, std::size_t n_fft,
                                                              const mel_options& o) {
  const std::string key = base_detail::message(
      rate_hz, ' ', n_fft, ' ', o.bands, ' ', static_cast<int>(o.scale), ' ',
      static_cast<int>(o.norm), ' ', o.fmin_hz, ' ', o.fmax_hz.value_or(rate_hz / 2));
  return find_or_make(mel_, mutex_, key, [&] {
    return std::make_shared<const mel_filterbank<double>>(rate_hz, n_fft, o);
  });
}

constant_q_plan<float> plan_store::constant_q(const constant_q_options& o) {
  const std::lock_guard lock(mutex_);
  if (!constant_q_ || constant_q_->options() != o) constant_q_.emplace(o);
  return *constant_q_;
}

std::shared_ptr<const auditory_filterbank<double>> plan_store::auditory(double rate_hz,
                                                                        std::size_t n_fft,
                                                                        const auditory_options& o) {
  const std::string key = base_detail::message(
      rate_hz, ' ', n_fft, ' ', o.bands, ' ', static_cast<int>(o.shape), ' ', o.fmin_hz, ' ',
      o.fmax_hz.value_or(rate_hz / 2), ' ', o.order, ' ', o.bandwidth_erb);
  return find_or_make(auditory_, mutex_, key, [&] {
    return std::make_shared<const auditory_filterbank<double>>(rate_hz, n_fft, o);
  });
}

}  // namespace papilio::signal_detail
