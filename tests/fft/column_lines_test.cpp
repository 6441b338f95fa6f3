// Lines that lie beside each other, as columns.
#include "fft/recipe_checks.hpp"

namespace papilio::test {
namespace {

template <class T>
class column_lines : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(column_lines, precisions);

template <class T>
using complexes = std::vector<std::complex<T>>;

template <class T>
bool run_as_columns(const fft_plan<T>& plan) {
  const recipe r = plan.design({.count = 2, .line_stride = 1, .element_stride = 2});
  return r.kind == recipe_kind::stockham || (r.kind == recipe_kind::codelet && r.n <= 256);
}

template <class T>
complexes<T> column(std::span<const std::complex<T>> rows, std::size_t width, std::size_t c) {
  complexes<T> line;
  for (std::size_t r = 0; r < rows.size() / width; ++r) line.push_back(rows[r * width + c]);
  return line;
}

// Every radix by itself, generic ones too, and lengths of several passes.
TYPED_TEST(column_lines, every_radix) {
  using T = TypeParam;
  using complex = std::complex<T>;
  constexpr std::size_t width = 19;
  for (const std::size_t n : {2,  3,  4,  5,  6,  7,  8,  9,  11, 13, 15,  16,  17,  19,  23, 29,
                              31, 32, 37, 41, 43, 47, 53, 59, 61, 64, 122, 128, 204, 210, 256})
    for (const direction dir : {direction::forward, direction::inverse}) {
      SCOPED_TRACE(n);
      const fft_plan<T> plan(n, dir, {.norm = normalization::none});
      EXPECT_TRUE(run_as_columns(plan));
      const auto x = random_complex<T>(n * width, static_cast<unsigned>(n));
      complexes<T> y(x.size());
      const extents_type<2> extents{n, width};
      plan.execute_axis(view<const complex, 2>(x.data(), extents),
                        view<complex, 2>(y.data(), extents), 0);
      for (std::size_t c = 0; c < width; ++c) {
        const auto line = column<T>(x, width, c);
        const auto wide = widened<T>(std::span<const complex>(line));
        EXPECT_LT(
            relative_error(column<T>(y, width, c), dft(wide, dir == direction::forward ? -1 : 1)),
            fft_tolerance<T>(n));
      }
    }
}

// The bits of a line do not depend on how many there are, on strides, alignment, threads or place.
template <class T>
void expect_same_bits(std::size_t n, std::size_t width) {
  using complex = std::complex<T>;
  SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(width));
  const fft_plan<T> plan(n, direction::inverse);
  const auto x = random_complex<T>(n * width, static_cast<unsigned>(n + width));
  const auto signed_width = static_cast<std::ptrdiff_t>(width);
  const extents_type<2> extents{n, width}, one{n, 1};
  complexes<T> expected(x.size());
  const strides_type<2> packed{signed_width, 1};
  for (std::size_t c = 0; c < width; ++c)
    plan.execute_axis(view<const complex, 2>(x.data() + c, one, packed),
                      view<complex, 2>(expected.data() + c, one, packed), 0);
  const view<const complex, 2> in(x.data(), extents, packed);
  for (const int threads : {1, 2, 3}) {
    complexes<T> y(x.size());
    plan.execute_axis(in, view<complex, 2>(y.data(), extents, packed), 0, threads);
    EXPECT_EQ(y, expected) << threads;
    y = x;
    plan.execute_axis(view<const complex, 2>(y.data(), extents, packed),
                      view<complex, 2>(y.data(), extents, packed), 0, threads);
    EXPECT_EQ(y, expected) << threads;
  }
  // Rows upside down on both sides, with gaps in the output, one real off a cache line.
  complexes<T> turned;
  for (std::size_t r = n; r-- > 0;)
    turned.insert(turned.end(), x.begin() + static_cast<std::ptrdiff_t>(r * width),
                  x.begin() + static_cast<std::ptrdiff_t>((r + 1) * width));
  const std::ptrdiff_t gap = signed_width + 3;
  const auto last = static_cast<std::ptrdiff_t>(n - 1);
  guarded<T> memory(2 * n * static_cast<std::size_t>(gap), 1);
  for (T& v : memory.reals()) v = T(7);
  const auto out = memory.complexes();
  plan.execute_axis(
      view<const complex, 2>(turned.data() + last * signed_width, extents, {-signed_width, 1}),
      view<complex, 2>(out.data() + last * gap, extents, {-gap, 1}), 0);
  EXPECT_TRUE(memory.is_intact());
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < static_cast<std::size_t>(gap); ++c) {
      const complex got = out[(n - 1 - r) * static_cast<std::size_t>(gap) + c];
      ASSERT_EQ(got, c < width ? expected[r * width + c] : complex(7, 7)) << r << ", " << c;
    }
}

TYPED_TEST(column_lines, the_bits_of_a_line_are_its_own) {
  for (const std::size_t n : {2, 16, 17, 60, 122, 256})
    for (const std::size_t width : {2, 3, 7, 8, 9, 15, 16, 17, 33, 130})
      expect_same_bits<TypeParam>(n, width);
  expect_same_bits<TypeParam>(4096, 18);  // the longest, of one register at a time
}

// Rows so far apart that they leave the caches between reading and writing go by way of copies.
TYPED_TEST(column_lines, the_bits_do_not_depend_on_how_far_rows_are_apart) {
  using T = TypeParam;
  using complex = std::complex<T>;
  constexpr std::size_t width = 75;
  for (const std::size_t n : {16, 128, 256}) {
    SCOPED_TRACE(n);
    const fft_plan<T> plan(n);
    const extents_type<2> extents{n, width};
    const auto x = random_complex<T>(n * width, static_cast<unsigned>(n));
    complexes<T> expected(x.size());
    plan.execute_axis(view<const complex, 2>(x.data(), extents),
                      view<complex, 2>(expected.data(), extents), 0);
    const std::size_t pitch = (std::size_t{8} << 20) / (n * sizeof(complex)) + 1;
    const strides_type<2> far{static_cast<std::ptrdiff_t>(pitch), 1};
    complexes<T> in(n * pitch), out(n * pitch, complex(7, 7));
    for (std::size_t r = 0; r < n; ++r)
      std::copy_n(x.data() + r * width, width, in.data() + r * pitch);
    plan.execute_axis(view<const complex, 2>(in.data(), extents, far),
                      view<complex, 2>(out.data(), extents, far), 0, 2);
    plan.execute_axis(view<const complex, 2>(in.data(), extents, far),
                      view<complex, 2>(in.data(), extents, far), 0);
    for (std::size_t r = 0; r < n; ++r) {
      const auto row = std::span(expected).subspan(r * width, width);
      ASSERT_TRUE(std::ranges::equal(row, std::span(out).subspan(r * pitch, width))) << r;
      ASSERT_TRUE(std::ranges::equal(row, std::span(in).subspan(r * pitch, width))) << r;
      ASSERT_EQ(out[r * pitch + width], complex(7, 7));
    }
  }
}

// One row read n times: the columns of a constant.
TYPED_TEST(column_lines, a_row_may_be_repeated) {
  using T = TypeParam;
  using complex = std::complex<T>;
  constexpr std::size_t n = 12, width = 21;
  const auto row = random_complex<T>(width, 3);
  const fft_plan<T> plan(n);
  complexes<T> y(n * width);
  plan.execute_axis(view<const complex, 2>(row.data(), {n, width}, {0, 1}),
                    view<complex, 2>(y.data(), {n, width}), 0);
  for (std::size_t c = 0; c < width; ++c) {
    complexes<T> expected(n);
    expected[0] = row[c] * T(n);
    const auto wide = widened<T>(std::span<const complex>(expected));
    EXPECT_LT(relative_error(column<T>(y, width, c), wide), fft_tolerance<T>(n));
  }
}

}  // namespace
}  // namespace papilio::test
