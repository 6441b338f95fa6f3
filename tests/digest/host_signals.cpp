#include "digest/host_runs.hpp"
#include "papilio/signal.hpp"

// Short-time transforms and what is made of them.
namespace papilio::test {
namespace {

using std::size_t;

std::vector<std::pair<std::string, stft_options>> short_time_runs() {
  std::vector<std::pair<std::string, stft_options>> all;
  for (const size_t n_fft : {1, 7, 64, 400, 1009, 2048})
    all.push_back({"n_fft=" + std::to_string(n_fft), {.n_fft = n_fft, .hop = (n_fft + 3) / 4}});
  all.push_back({"reflect", {.n_fft = 512, .hop = 128, .padding = edge_padding::reflect}});
  all.push_back(
      {"edge, end", {.n_fft = 512, .hop = 100, .padding = edge_padding::edge, .pad_end = true}});
  all.push_back(
      {"not centred", {.n_fft = 512, .hop = 128, .window = window_kind::hamming, .centre = false}});
  all.push_back({"short window", {.n_fft = 512, .hop = 100, .window_length = 401}});
  all.push_back({"two sides", {.n_fft = 512, .hop = 128, .sides = stft_sides::two}});
  all.push_back({"dbfs", {.n_fft = 512, .hop = 128, .scaling = stft_scaling::dbfs}});
  all.push_back(
      {"psd", {.n_fft = 512, .hop = 128, .scaling = stft_scaling::psd, .rate_hz = 44100}});
  return all;
}

constexpr size_t channels = 3, samples = 7001;

template <class T>
void add_short_time(host_runs& runs) {
  using C = std::complex<T>;
  const std::vector<T> x = made_values<T>(channels * samples);
  const view<const T, 2> signals(x.data(), {channels, samples});
  for (const auto& [name, options] : short_time_runs()) {
    const stft_plan<T> plan(options);
    const extents_type<3> extents{channels, size_t(plan.segments(samples)), plan.bins()};
    const std::string what = name + ' ' + type_name<T>();
    array<C, 3> spectra(extents);
    runs.add("stft " + what, [&](bit_hash& hash, int threads) {
      plan.execute(signals, spectra.view(), threads);
      hash.add_numbers(std::span<const C>(spectra.flat()));
      array<T, 3> sizes(extents);
      plan.execute_magnitude(signals, sizes.view(), threads);
      hash.add_numbers(std::span<const T>(sizes.flat()));
      plan.execute_power(signals, sizes.view(), threads);
      hash.add_numbers(std::span<const T>(sizes.flat()));
    });
    runs.add("istft " + what, [&](bit_hash& hash, int threads) {
      // Without centring the first sample has the weight 0.
      const size_t first = options.centre ? 0 : 64, count = options.centre ? 6500 : 6400;
      array<T, 2> back({channels, count});
      istft_plan<T>(options).execute(view<const C, 3>(spectra), back.view(), threads, first);
      hash.add_numbers(std::span<const T>(back.flat()));
    });
  }
}

template <class T>
void add_estimates(host_runs& runs) {
  const std::vector<T> x = made_values<T>(channels * samples);
  const view<const T, 2> signals(x.data(), {channels, samples});
  const std::vector<std::pair<std::string, welch_options>> all = {
      {"presets", {}},
      {"prime", {.segment_length = 251, .overlap = 100, .detrend = detrending::linear}},
      {"median, padded",
       {.rate_hz = 8000,
        .n_fft = 1000,
        .detrend = detrending::none,
        .average = psd_average::median}},
      {"spectrum, two sides", {.scaling = psd_scaling::spectrum, .one_sided = false}}};
  for (const auto& [name, options] : all)
    runs.add("welch " + name + ' ' + type_name<T>(), [&](bit_hash& hash, int threads) {
      hash.add_numbers(std::span<const T>(welch(signals, options, threads).flat()));
    });
}

template <class T>
void add_features(host_runs& runs) {
  const std::vector<T> powers = made_values<T>(41 * 257);
  array<T, 2> power({41, 257});
  for (size_t i = 0; i < powers.size(); ++i) power.data()[i] = powers[i] * powers[i];
  const mel_filterbank<T> bank(16000, 512, {.bands = 40});
  const array<T, 2> bands = bank.apply(power.view());
  runs.add("mel " + type_name<T>(), [&](bit_hash& hash, int threads) {
    hash.add_numbers(std::span<const T>(bank.apply(power.view(), threads).flat()));
  });
  runs.add("mel htk " + type_name<T>(), [&](bit_hash& hash, int threads) {
    const mel_filterbank<T> other(
        16000, 512, {.bands = 23, .scale = mel_scale::htk, .norm = mel_norm::none, .fmin_hz = 60});
    hash.add_numbers(std::span<const T>(other.apply(power.view(), threads).flat()));
  });
  runs.add("mfcc " + type_name<T>(), [&](bit_hash& hash, int threads) {
    hash.add_numbers(std::span<const T>(mfcc_plan<T>(40, {.coefficients = 13, .lifter = 22})
                                            .execute(bands.view(), threads)
                                            .flat()));
  });
}

void add_windows(host_runs& runs) {
  for (const char* name : {"rectangular", "hann", "hamming", "blackman", "nuttall",
                           "blackman_harris", "flat_top", "kaiser:8.6", "gaussian:20", "tukey:0.5"})
    runs.add(std::string("window ") + name, [&](bit_hash& hash, int) {
      for (const size_t n : {1, 2, 97, 1024}) {
        hash.add_numbers(
            std::span<const double>(make_window<double>(parse_window(name), n).flat()));
        hash.add_numbers(std::span<const float>(make_window<float>(parse_window(name), n).flat()));
      }
    });
}

}  // namespace

void add_signals(host_runs& runs) {
  add_short_time<float>(runs);
  add_short_time<double>(runs);
  add_estimates<float>(runs);
  add_estimates<double>(runs);
  add_features<float>(runs);
  add_features<double>(runs);
  add_windows(runs);
}

}  // namespace papilio::test
