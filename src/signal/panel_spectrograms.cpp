#include "signal/panel_spectrograms.hpp"

#include <algorithm>

namespace papilio::signal_detail {

panel_spectrograms::panel_spectrograms(const stft_plan<float>& plan, std::size_t panels,
                                       const pooled_spectrogram_options& each) {
  for (std::size_t p = 0; p < panels; ++p) each_.emplace_back(plan, each);
}

void panel_spectrograms::push(view<const float, 2> block) {
  if (each_.size() == 1)
    each_[0].push(block);
  else
    for (std::size_t c = 0; c < each_.size(); ++c) each_[c].push(block.slice(1, c, 1));
}

void panel_spectrograms::finish() {
  for (pooled_spectrogram& one : each_) one.finish();
}

std::vector<double> panel_spectrograms::mean_power() const {
  std::vector<double> mean(each_[0].mean_power().size());
  for (const pooled_spectrogram& one : each_)
    for (std::size_t k = 0; k < mean.size(); ++k)
      mean[k] += one.mean_power()[k] / static_cast<double>(each_.size());
  return mean;
}

std::vector<array<double, 2>> panel_spectrograms::levels() const {
  std::vector<array<double, 2>> result;
  for (const pooled_spectrogram& one : each_) {
    result.emplace_back(one.levels().extents());
    std::copy_n(one.levels().data(), result.back().size(), result.back().data());
  }
  return result;
}

}  // namespace papilio::signal_detail
