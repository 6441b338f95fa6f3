#include "kernels/transform/chirp.hpp"

#include <algorithm>

#include "base/roots_of_unity.hpp"
#include "kernels/transform/factors.hpp"

namespace papilio::kernels_detail {
namespace {

using value = std::complex<double>;

// Forward DFT of a smooth length by decimation in time.
class host_dft {
 public:
  explicit host_dft(std::int64_t n) : primes_(primes_of(n)) {
    const base_detail::roots_of_unity<double> root{std::size_t(n)};
    for (std::int64_t k = 0; k < n; ++k) roots_.push_back(root(std::size_t(k)));
  }

  std::vector<value> operator()(const std::vector<value>& x) const {
    std::vector<value> y(x.size());
    part(x.data(), 1, y.data(), std::int64_t(x.size()), 0);
    return y;
  }

 private:
  // y[k] = sum over j < n of x[j stride] w(n)^(j k); n stride is the whole length, so that
  // w(n)^(j k) is root j k stride.
  void part(const value* x, std::int64_t stride, value* y, std::int64_t n,
            std::size_t depth) const {
    if (n == 1) {
      y[0] = x[0];
      return;
    }
    const std::int64_t r = primes_[depth], m = n / r, all = std::int64_t(roots_.size());
    for (std::int64_t j = 0; j < r; ++j) part(x + j * stride, stride * r, y + j * m, m, depth + 1);
    std::vector<value> of(static_cast<std::size_t>(r));
    for (std::int64_t k = 0; k < m; ++k) {
      for (std::int64_t j = 0; j < r; ++j)
        of[std::size_t(j)] = y[j * m + k] * roots_[std::size_t(j * k * stride)];
      for (std::int64_t q = 0; q < r; ++q) {
        value sum = 0;
        for (std::int64_t j = 0; j < r; ++j)
          sum += of[std::size_t(j)] * roots_[std::size_t(j * q % r * (all / r))];
        y[q * m + k] = sum;
      }
    }
  }

  std::vector<std::int64_t> primes_;
  std::vector<value> roots_;
};

}  // namespace

std::vector<value> chirp(std::int64_t n, std::int64_t count, bool inverse) {
  const base_detail::roots_of_unity<double> root{std::size_t(2 * n)};
  std::vector<value> c;
  // (j + 1)^2 = j^2 + 2 j + 1 avoids a product that could overflow.
  for (std::int64_t j = 0, square = 0; j < count; square = (square + 2 * j + 1) % (2 * n), ++j) {
    const value w = root(std::size_t(square));
    c.push_back(inverse ? std::conj(w) : w);
  }
  return c;
}

std::vector<value> filter_spectrum(std::int64_t n, std::int64_t in, std::int64_t out,
                                   std::int64_t m, bool inverse) {
  const std::vector<value> c = chirp(n, std::max(in, out), inverse);
  std::vector<value> filter(static_cast<std::size_t>(m));
  for (std::int64_t d = 1 - in; d < out; ++d)
    filter[std::size_t(d < 0 ? m + d : d)] = std::conj(c[std::size_t(d < 0 ? -d : d)]) / double(m);
  return host_dft(m)(filter);
}

std::vector<std::complex<double>> chirp_factors::values() const {
  switch (of) {
    case part::none:
      break;
    case part::points: {
      std::vector<std::complex<double>> c = chirp(n, in, inverse);
      for (std::size_t k = 0; k < c.size(); ++k) {
        const auto bin = static_cast<std::int64_t>(k);
        if (weight == chirp_weight::both_parts) c[k] *= std::complex<double>(0.5, -0.5);
        if (weight == chirp_weight::mirrored && bin != 0 && 2 * bin != n) c[k] *= 2;
      }
      return c;
    }
    case part::filter:
      return filter_spectrum(n, in, out, m, inverse);
    case part::results:
      return chirp(n, out, inverse);
  }
  return {};
}

}  // namespace papilio::kernels_detail
