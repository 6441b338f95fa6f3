#include "kernels/published_lines.hpp"

#include <algorithm>
#include <cmath>

namespace papilio::kernels::test {

planar random_lines(std::size_t batch, std::size_t n, unsigned seed, bool real) {
  planar x({2, batch, n});
  const auto re = papilio::test::random_real<float>(batch * n, seed),
             im = papilio::test::random_real<float>(batch * n, seed + 1);
  std::copy(re.begin(), re.end(), x.data());
  if (!real) std::copy(im.begin(), im.end(), x.data() + batch * n);
  return x;
}

std::vector<exact> values_of(const planar& x) {
  const std::size_t count = x.size() / 2;
  std::vector<exact> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = {x.data()[i], x.data()[count + i]};
  return values;
}

std::vector<exact> transformed(const planar& x, bool inverse) {
  const std::size_t n = x.extent(2);
  std::vector<exact> all = values_of(x), result;
  for (std::size_t b = 0; b < x.extent(1); ++b) {
    const auto line = papilio::test::dft(std::span(all).subspan(b * n, n), inverse ? 1 : -1);
    for (const exact& v : line) result.push_back(inverse ? v / (long double)(n) : v);
  }
  return result;
}

void expect_elements(const std::vector<exact>& got, const std::vector<exact>& expected,
                     double relative, double absolute) {
  ASSERT_EQ(got.size(), expected.size());
  std::size_t worst = 0;
  long double most = -1;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const long double over =
        std::abs(got[i] - expected[i]) - absolute - relative * std::abs(expected[i]);
    if (!(over <= most)) most = over, worst = i;
  }
  EXPECT_LE(most, 0) << "at " << worst << ": " << got[worst] << " instead of " << expected[worst];
}

double maximum_error(const std::vector<exact>& got, const std::vector<exact>& expected) {
  long double error = 0, greatest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    error = std::max(error, std::abs(got[i] - expected[i]));
    greatest = std::max(greatest, std::abs(expected[i]));
  }
  return double(error / greatest);
}

}  // namespace papilio::kernels::test
