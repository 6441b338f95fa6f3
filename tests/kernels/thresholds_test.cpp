// Transforms are right whatever the thresholds of their designs are: at both ends of each field's
// range, against the definition of the DFT in long double.
//
// Error model: sized_kernel::expected_error of the design that the thresholds lead to, four times
// for single inputs of few points, as in real_fft_test.
#include <gtest/gtest.h>

#include <array>

#include "kernels/device_fft.hpp"
#include "kernels/real_fft_runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using papilio::test::random_real;
using papilio::test::relative_error;

struct threshold {
  const char* field;
  std::array<const char*, 2> ends;
};
constexpr std::array<const char*, 2> count{"1", "65536"}, large{"1", "1125899906842624"},
    none{"0", "65536"}, seconds{"0", "1"};
const std::vector<threshold> thresholds{
    {"full_rate_row_bytes", large},
    {"spread_row_bytes_min", large},
    {"run_elements_min", count},
    {"one_stage_points_max", {"32", "128"}},
    {"one_sweep_points_max", {"64", "4096"}},
    {"mixed_lines_min", count},
    {"column_neighbours_min", count},
    {"own_digits_lines_max", none},
    {"few_lines_points_min", count},
    {"convolved_points_max", large},
    {"narrow_transpose_side_max", count},
    {"narrow_transpose_elements_max", count},
    {"compared_lines_max", count},
    {"compared_chirps_max", count},
    {"compared_factor_lines_max", count},
    {"long_line_start_seconds", seconds},
    {"long_line_seconds_min", seconds},
};

template <class Shapes, class Expect>
void at_all_ends(const Shapes& cases, const Expect& expect) {
  for (const threshold& t : thresholds)
    for (const char* const end : t.ends) {
      const std::string text = std::string("{\"thresholds\": {\"") + t.field + "\": " + end + "}}";
      SCOPED_TRACE(text);
      const machine_spec machine = machine_from_json(text, t.field);
      for (const auto& one : cases) expect(one, machine);
    }
}

TEST(thresholds, complex_transforms_are_right_at_their_ends) {
  struct one_case {
    fft_row shape;
    complex_values in;
    std::vector<exact> out;
  };
  std::vector<one_case> cases;
  for (const fft_row& shape : std::vector<fft_row>{{.extents = {700, 20}, .axes = {-1}},
                                                   {.extents = {3, 60}, .axes = {-1}},
                                                   {.extents = {2, 288}, .axes = {-1}},
                                                   {.extents = {2, 257}, .axes = {-1}},
                                                   {.extents = {1, 2048}, .axes = {-1}},
                                                   {.extents = {96, 20}, .axes = {0}},
                                                   {.extents = {12, 20, 18}, .axes = {}}}) {
    complex_values in = random_bins(std::int64_t(count_of(shape)), 3);
    std::vector<exact> out = host_fft(shape, in);
    cases.push_back({shape, std::move(in), std::move(out)});
  }
  at_all_ends(cases, [](const one_case& c, const machine_spec& machine) {
    device on(machine);
    EXPECT_LE(relative_error(device_fft(on, c.shape, c.in), c.out),
              4 * fft_kernel(c.shape, machine).expected_error)
        << c.shape.extents.back();
  });
}

TEST(thresholds, real_transforms_are_right_at_their_ends) {
  struct one_case {
    fft_row shape;
    std::vector<float> in;
    std::vector<exact> out;
  };
  std::vector<one_case> cases;
  for (const fft_row& shape : std::vector<fft_row>{lines_of(700, 24),
                                                   lines_of(3, 90),
                                                   lines_of(2, 960),
                                                   lines_of(3, 263),
                                                   lines_of(1, 1155),
                                                   {.extents = {60, 12}, .axes = {0}}}) {
    std::vector<float> in = random_real<float>(std::size_t(count_of(shape.extents)), 4);
    std::vector<exact> out = expected_rfft(shape, in);
    cases.push_back({shape, std::move(in), std::move(out)});
  }
  at_all_ends(cases, [](const one_case& c, const machine_spec& machine) {
    EXPECT_LE(relative_error(run_rfft(c.shape, c.in, machine), c.out),
              4 * rfft_kernel(c.shape, machine).expected_error)
        << c.shape.extents.back();
  });
}

}  // namespace
}  // namespace papilio::kernels::test
