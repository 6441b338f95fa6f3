#include "kernels/transform_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numbers>
#include <random>

#include "support/oracle.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using papilio::test::exact;

std::size_t product(const std::vector<std::size_t>& extents) {
  std::size_t n = 1;
  for (const std::size_t e : extents) n *= e;
  return n;
}

// Without what std::complex does for infinities.
exact product_of(const exact& a, const exact& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// A transform by its definition: of each axis whether it is summed, and its roots of unity.
class definition {
 public:
  definition(transform_way way, const fft_row& shape) : way_(way), scale_(shape.scale) {
    for (const std::int64_t e : shape.extents) whole_.push_back(std::size_t(e));
    const auto rank = whole_.size();
    summed_.assign(rank, shape.axes.empty());
    for (const int a : shape.axes) summed_[std::size_t(a < 0 ? a + int(rank) : a)] = true;
    const int last = shape.axes.empty() ? -1 : shape.axes.back();
    halved_ = std::size_t(last < 0 ? last + int(rank) : last);
    in_ = out_ = whole_;
    if (is_real()) (from_spectrum() ? in_ : out_)[halved_] = whole_[halved_] / 2 + 1;
    const int sign = way == transform_way::forward || way == transform_way::to_spectrum ? -1 : 1;
    for (std::size_t a = 0; a < rank; ++a) {
      std::vector<exact>& root = roots_.emplace_back(summed_[a] ? whole_[a] : 1);
      for (std::size_t k = 0; k < root.size(); ++k)
        root[k] =
            std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> *
                                 static_cast<long double>(k) / static_cast<long double>(whole_[a]));
      if (summed_[a]) points_ *= in_[a];
    }
  }

  bool is_real() const {
    return way_ == transform_way::to_spectrum || way_ == transform_way::from_spectrum;
  }
  bool from_spectrum() const { return way_ == transform_way::from_spectrum; }
  std::size_t inputs() const { return product(in_); }
  std::size_t outputs() const { return product(out_); }
  /// Terms of a sum.
  std::size_t points() const { return points_; }
  /// Whether the imaginary part of an input is not looked at.
  bool is_own_image(std::size_t at) const {
    if (!from_spectrum() || std::ranges::count(summed_, true) > 1) return false;
    for (std::size_t a = in_.size(); a-- > halved_ + 1;) at /= in_[a];
    const std::size_t k = at % in_[halved_];
    return k == 0 || 2 * k == whole_[halved_];
  }

  exact operator()(const std::vector<exact>& x, std::size_t output) const {
    std::vector<std::size_t> at(out_.size());
    for (std::size_t a = out_.size(); a-- > 0; output /= out_[a]) at[a] = output % out_[a];
    const exact sum = static_cast<long double>(scale_) * sum_of(x, at, 0, 0);
    return from_spectrum() ? exact(sum.real()) : sum;
  }

 private:
  exact sum_of(const std::vector<exact>& x, const std::vector<std::size_t>& at, std::size_t axis,
               std::size_t first) const {
    if (axis == in_.size()) return x[first];
    first *= in_[axis];
    if (!summed_[axis]) return sum_of(x, at, axis + 1, first + at[axis]);
    exact sum = 0;
    for (std::size_t j = 0, root = 0; j < in_[axis]; ++j) {
      const bool stands_for_two =
          from_spectrum() && axis == halved_ && j > 0 && 2 * j != whole_[axis];
      const exact v = axis + 1 == in_.size() ? x[first + j] : sum_of(x, at, axis + 1, first + j);
      sum += (stands_for_two ? 2.0L : 1.0L) * product_of(v, roots_[axis][root]);
      root += at[axis];
      if (root >= whole_[axis]) root -= whole_[axis];
    }
    return sum;
  }

  transform_way way_;
  double scale_;
  std::vector<std::size_t> whole_, in_, out_;
  std::vector<bool> summed_;
  std::size_t halved_ = 0, points_ = 1;
  std::vector<std::vector<exact>> roots_;
};

std::vector<std::size_t> looked_at(const definition& what) {
  constexpr std::size_t terms_of_all = 500'000;
  const std::size_t all = what.outputs();
  std::vector<std::size_t> places;
  if (all * what.points() <= terms_of_all) {
    for (std::size_t i = 0; i < all; ++i) places.push_back(i);
    return places;
  }
  const std::size_t some = what.points() > 1 << 18 ? 8 : 40;
  std::mt19937_64 generator(1);
  places = {0, all - 1};
  while (places.size() < some) places.push_back(std::size_t(generator() % all));
  return places;
}

sized_kernel kernel_of(transform_way way, fft_row shape, const machine_spec& machine) {
  shape.inverse = way == transform_way::inverse;
  return way == transform_way::to_spectrum     ? rfft_kernel(shape, machine)
         : way == transform_way::from_spectrum ? irfft_kernel(shape, machine)
                                               : fft_kernel(shape, machine);
}

std::string text_of(transform_way way, const fft_row& shape) {
  constexpr const char* names[] = {"forward", "inverse", "to spectrum", "from spectrum"};
  std::string text = names[int(way)];
  for (const std::int64_t e : shape.extents) text += " " + std::to_string(e);
  text += ", axes";
  for (const int a : shape.axes) text += " " + std::to_string(a);
  return text;
}

}  // namespace

void expect_values(transform_way way, const fft_row& shape, const machine_spec& machine) {
  SCOPED_TRACE(text_of(way, shape));
  const definition what(way, shape);
  const sized_kernel kernel = kernel_of(way, shape, machine);
  const std::size_t count = what.inputs(), planes = way == transform_way::to_spectrum ? 1 : 2;
  std::vector<float> in = papilio::test::random_real<float>(planes * count, 5);
  std::vector<exact> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (planes == 2 && what.is_own_image(i)) {
      in[count + i] = std::numeric_limits<float>::quiet_NaN();
      x[i] = in[i];
    } else {
      x[i] = {in[i], planes == 2 ? in[count + i] : 0};
    }
  }
  const std::vector<float> before = in;
  std::vector<float> out(std::size_t(kernel.outputs[0].elements()));
  device on(machine, sdk_2_24(), {.strict = true, .threads = 2});
  prepared_kernel(on, kernel)
      .launch({launch_input(std::as_bytes(std::span(in)), kernel.inputs[0])},
              {launch_output(std::as_writable_bytes(std::span(out)), kernel.outputs[0])});
  EXPECT_EQ(std::memcmp(in.data(), before.data(), in.size() * sizeof(float)), 0)
      << "the input was written";
  std::vector<exact> got, expected;
  for (const std::size_t i : looked_at(what)) {
    got.emplace_back(out[i], what.from_spectrum() ? 0 : out[what.outputs() + i]);
    expected.push_back(what(x, i));
  }
  const double ratio =
      papilio::test::relative_error(got, std::span<const exact>(expected)) / kernel.expected_error;
  EXPECT_LE(ratio, got.size() < 40 ? 4 : 1.5);
  // Lengths of up to 8 have factors that are exact.
  if ((got.size() >= 512 || got.size() < what.outputs()) && what.points() > 8) {
    EXPECT_GE(ratio, 0.4);
  }
}

void expect_complex(fft_row shape, const machine_spec& machine) {
  expect_values(transform_way::forward, shape, machine);
  shape.scale = -0.5;
  expect_values(transform_way::inverse, shape, machine);
}

void expect_real(const fft_row& shape, const machine_spec& machine) {
  expect_values(transform_way::to_spectrum, shape, machine);
  expect_values(transform_way::from_spectrum, shape, machine);
}

}  // namespace papilio::kernels::test
