#include "digest/host_runs.hpp"

#include <algorithm>

#include "papilio/fft.hpp"
#include "papilio/transform.hpp"

// Fourier, cosine and sine transforms by plans: kinds, sizes, types, batches, strides, axes.
namespace papilio::test {
namespace {

using std::size_t;

std::string size_text(size_t n) { return " n=" + std::to_string(n) + ' '; }

template <class T>
std::vector<size_t> sizes() {
  if constexpr (std::is_same_v<T, long double>) return {1, 2, 7, 16, 60, 97, 1009, 1024};
  return {1,   2,    3,    5,    8,    13,   16,   31,   60,    97,    128,    131,    256,
          509, 1000, 1009, 1024, 4096, 4099, 5040, 9973, 30030, 65536, 262144, 1048576};
}

template <class T>
void add_complex(host_runs& runs, size_t n) {
  using C = std::complex<T>;
  runs.add("c2c" + size_text(n) + type_name<T>(), [n](bit_hash& hash, int threads) {
    const std::vector<C> x = made_values<C>(n);
    std::vector<C> y(n);
    fft_plan<T>(n).execute(x, y);
    hash.add_numbers<C>(y);
    fft_plan<T>(n, direction::inverse, {.norm = normalization::orthonormal})
        .execute_parallel(x, y, threads);
    hash.add_numbers<C>(y);
  });
}

template <class T>
void add_real(host_runs& runs, size_t n) {
  using C = std::complex<T>;
  runs.add("r2c" + size_text(n) + type_name<T>(), [n](bit_hash& hash, int) {
    const std::vector<T> x = made_values<T>(n), window = made_values<T>(n, 2);
    const rfft_plan<T> plan(n);
    std::vector<C> bins(plan.bins());
    plan.forward(x, bins);
    hash.add_numbers<C>(bins);
    plan.forward_windowed(x, window, bins);
    hash.add_numbers<C>(bins);
    std::vector<T> sizes(plan.bins());
    plan.forward_magnitude(x, window, sizes);
    hash.add_numbers<T>(sizes);
    plan.forward_power(x, window, sizes);
    hash.add_numbers<T>(sizes);
  });
  runs.add("c2r" + size_text(n) + type_name<T>(), [n](bit_hash& hash, int) {
    const std::vector<C> bins = made_values<C>(n / 2 + 1);
    std::vector<T> x(n);
    rfft_plan<T>(n).inverse(bins, x);
    hash.add_numbers<T>(x);
  });
}

template <class T>
void add_trigonometric(host_runs& runs) {
  const char* const names[] = {"dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4"};
  for (size_t kind = 0; kind < 8; ++kind)
    for (const size_t n : {2, 3, 16, 97, 1000, 1009})
      runs.add(names[kind] + size_text(n) + type_name<T>(), [=](bit_hash& hash, int threads) {
        const dct_plan<T> plan(n, trigonometric_kind(kind));
        const std::vector<T> x = made_values<T>(n * 5);
        std::vector<T> y(n);
        plan.inverse(std::span(x).first(n), y);
        hash.add_numbers<T>(y);
        std::vector<T> columns(n * 5);
        plan.forward_axis(view<const T, 2>(x.data(), {n, 5}), view<T, 2>(columns.data(), {n, 5}), 0,
                          threads);
        hash.add_numbers<T>(columns);
      });
}

// Rows of a batch, columns, the middle axis of three, backwards and with gaps, in place, in planes.
template <class T>
void add_lines(host_runs& runs, size_t n) {
  using C = std::complex<T>;
  const auto name = [&](const std::string& kind) { return kind + size_text(n) + type_name<T>(); };
  for (const size_t count : {1, 17}) {
    const std::vector<C> x = made_values<C>(count * n);
    const std::vector<T> r = made_values<T>(count * n);
    const std::string many = std::to_string(count);
    runs.add(name("rows_of_" + many), [&](bit_hash& hash, int threads) {
      std::vector<C> y(count * n);
      fft_plan<T>(n).execute_batch({x.data(), {count, n}}, {y.data(), {count, n}}, threads);
      hash.add_numbers<C>(y);
      const rfft_plan<T> real(n);
      std::vector<C> bins(count * real.bins());
      real.forward_batch({r.data(), {count, n}}, {bins.data(), {count, real.bins()}}, threads);
      hash.add_numbers<C>(bins);
      std::vector<T> back(count * n);
      real.inverse_batch({bins.data(), {count, real.bins()}}, {back.data(), {count, n}}, threads);
      hash.add_numbers<T>(back);
    });
    runs.add(name("columns_of_" + many), [&](bit_hash& hash, int threads) {
      std::vector<C> y(count * n);
      fft_plan<T>(n).execute_axis(view<const C, 2>(x.data(), {n, count}),
                                  view<C, 2>(y.data(), {n, count}), 0, threads);
      hash.add_numbers<C>(y);
      const rfft_plan<T> real(n);
      std::vector<C> bins(count * real.bins());
      real.forward_axis(view<const T, 2>(r.data(), {n, count}),
                        view<C, 2>(bins.data(), {real.bins(), count}), 0, threads);
      hash.add_numbers<C>(bins);
    });
  }
  const std::vector<C> x = made_values<C>(6 * n);
  runs.add(name("middle_axis"), [&](bit_hash& hash, int threads) {
    std::vector<C> y(6 * n);
    fft_plan<T>(n).execute_axis(view<const C, 3>(x.data(), {2, n, 3}),
                                view<C, 3>(y.data(), {2, n, 3}), 1, threads);
    hash.add_numbers<C>(y);
  });
  runs.add(name("backwards_with_gaps_in_place"), [&](bit_hash& hash, int threads) {
    std::vector<C> y = x;
    const view<C, 2> lines(y.data() + 2 * (n - 1), {3, n}, {std::ptrdiff_t(2 * n), -2});
    fft_plan<T>(n, direction::inverse).execute_axis(lines, lines, 1, threads);
    hash.add_numbers<C>(y);
  });
  runs.add(name("planes"), [&](bit_hash& hash, int) {
    const std::vector<T> in = made_values<T>(2 * n);
    std::vector<T> out(2 * n);
    const std::span<const T> from(in);
    const std::span<T> to(out);
    fft_plan<T>(n).execute_split({from.first(n), from.last(n)}, {to.first(n), to.last(n)});
    hash.add_numbers<T>(out);
  });
}

template <class T>
void add_arrays(host_runs& runs) {
  using C = std::complex<T>;
  const std::vector<std::vector<std::ptrdiff_t>> all_axes = {{0, 1, 2}, {0}, {0, 2}, {1, 2}};
  for (const extents_type<3>& extents :
       {extents_type<3>{30, 7, 16}, extents_type<3>{3, 64, 97}, extents_type<3>{1, 128, 128}})
    for (const auto& axes : all_axes) {
      std::string name;
      for (const size_t e : extents) name += (name.empty() ? "" : "x") + std::to_string(e);
      name += " axes=";
      for (const std::ptrdiff_t axis : axes) name += std::to_string(axis);
      const size_t count = extents[0] * extents[1] * extents[2];
      runs.add("fftn " + name + ' ' + type_name<T>(), [&](bit_hash& hash, int threads) {
        const std::vector<C> x = made_values<C>(count);
        std::vector<C> y(count);
        fftn_plan<T>({extents.begin(), extents.end()}, axes)
            .execute(view<const C, 3>(x.data(), extents), view<C, 3>(y.data(), extents), threads);
        hash.add_numbers<C>(y);
      });
      runs.add("rfftn " + name + ' ' + type_name<T>(), [&](bit_hash& hash, int threads) {
        const std::vector<T> x = made_values<T>(count);
        const rfftn_plan<T> plan({extents.begin(), extents.end()}, axes);
        extents_type<3> bins;
        std::ranges::copy(plan.spectrum_extents(), bins.begin());
        std::vector<C> y(bins[0] * bins[1] * bins[2]);
        plan.forward(view<const T, 3>(x.data(), extents), view<C, 3>(y.data(), bins), threads);
        hash.add_numbers<C>(y);
        std::vector<T> back(count);
        plan.inverse(view<const C, 3>(y.data(), bins), view<T, 3>(back.data(), extents), threads);
        hash.add_numbers<T>(back);
      });
    }
}

// What stands on transforms: products of spectra, chirps.
template <class T>
void add_functions(host_runs& runs) {
  const std::vector<T> x = made_values<T>(5000), filter = made_values<T>(37, 2);
  const auto add = [&](const std::string& name, const auto& compute) {
    runs.add(name + ' ' + type_name<T>(), [&](bit_hash& hash, int threads) {
      const auto result = compute(execution{.threads = threads});
      hash.add_numbers(std::span<const typename decltype(result)::value_type>(result.flat()));
    });
  };
  add("fftconvolve", [&](const execution& on) { return fftconvolve(x, filter, {.on = on}); });
  add("oaconvolve", [&](const execution& on) { return oaconvolve(x, filter, {.on = on}); });
  add("czt", [&](const execution& on) { return czt(x, {.m = 701, .on = on}); });
  add("fft of reals", [&](const execution& on) { return fft(x, {.n = 6000, .on = on}); });
  add("hfft", [&](const execution& on) { return hfft(x, {.on = on}); });
}

template <class T>
void add_type(host_runs& runs) {
  for (const size_t n : sizes<T>()) {
    add_complex<T>(runs, n);
    add_real<T>(runs, n);
  }
  add_trigonometric<T>(runs);
  for (const size_t n : {7, 16, 64, 97, 1000, 1009})
    if (n < 1000 || !std::is_same_v<T, long double>) add_lines<T>(runs, n);
  add_arrays<T>(runs);
}

}  // namespace

void add_transforms(host_runs& runs) {
  add_type<float>(runs);
  add_type<double>(runs);
  add_type<long double>(runs);
  add_functions<float>(runs);
  add_functions<double>(runs);
}

}  // namespace papilio::test
