// Kernels of the catalog on machines that nobody makes: what they are designed for is the machine
// that they are given, and their values are those of trainium1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>
#include <random>
#include <span>

#include "kernels/runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

machine_spec half_the_sbuf() {
  machine_spec m = trainium1();
  m.name = "half the SBUF";
  m.sbuf.bytes_per_partition /= 2;
  return m;
}

machine_spec half_the_partitions() {
  machine_spec m = trainium1();
  m.name = "64 partitions";
  m.sbuf.partitions = m.psum.partitions = 64;
  m.tensor.rows = m.tensor.columns = 64;
  m.tensor.stationary_columns_max = m.tensor.transpose_side_max = 64;
  m.lowering.transpose_strip_columns = 64;
  return m;
}

machine_spec slow_dma() {
  machine_spec m = trainium1();
  m.name = "twice the start of DMA";
  m.dma.start_ns *= 2;
  return m;
}

struct sized_run {
  const char* kernel;
  std::vector<std::string> settings;
};

std::ostream& operator<<(std::ostream& to, const sized_run& run) {
  to << run.kernel;
  for (const std::string& s : run.settings) to << ' ' << s;
  return to;
}

const std::vector<sized_run>& runs() {
  static const std::vector<sized_run> all{
      {"fft", {"n=1024", "batch=131"}},
      {"fft", {"n=1009", "batch=5"}},
      {"fft", {"n=65536"}},
      {"fft", {"n=100", "inner=70"}},
      {"fft", {"n=256", "precision=bf16_refined", "refinements=2"}},
      {"fftn", {"x=6", "y=64", "z=70"}},
      {"dft", {"n=60", "batch=131"}},
      {"butterfly_fft", {"n=1000", "batch=70"}},
      {"rfft", {"n=1024", "batch=131"}},
      {"rfft", {"n=1001", "batch=7"}},
      {"rfft", {"n=30021"}},
      {"rfft", {"n=65536"}},
      {"irfft", {"n=1024", "batch=131"}},
      {"irfft", {"n=1009", "batch=3"}},
      {"irfft", {"n=65536"}},
      {"stft", {"samples=8000", "n_fft=400", "hop=160", "output=complex"}},
      {"stft", {"samples=16000", "n_fft=2048", "hop=512", "output=mel", "mels=40"}},
      {"istft", {"samples=8000", "n_fft=400", "hop=160"}},
      {"istft", {"samples=16000", "n_fft=2048", "hop=512"}},
      {"stft", {"samples=16000", "n_fft=2048", "hop=512", "precision=split_bf16", "parts=3"}},
      {"istft", {"samples=16000", "n_fft=2048", "hop=512", "precision=bf16"}},
      {"istft_vjp", {"samples=8000", "n_fft=400", "hop=160", "channels=2"}},
      {"rfftn_vjp", {"x=6", "y=64", "z=70"}},
      {"irfftn_vjp", {"x=6", "y=64", "z=71"}},
      {"gemm", {"m=300", "k=257", "n=1030"}},
      {"gemm", {"m=130", "k=200", "n=520", "function=gelu", "bias=yes", "beta=0.5"}},
      {"batched_gemm", {"batch=5", "m=129", "k=130", "n=7"}},
      {"complex_gemm", {"m=130", "k=200", "n=520", "products=3"}},
      {"complex_linear", {"batch=130", "in=200", "out=520"}},
      {"syrk", {"n=300", "k=130"}},
      {"symm", {"m=300", "n=130"}},
      {"trmm", {"m=130", "n=300"}},
      {"trsm", {"m=130", "n=300"}},
      {"vector", {"operation=dot", "n=100003"}},
      {"vector", {"operation=iamax", "n=100003"}},
      {"contraction", {"subscripts=ijk,jl->ikl", "sizes=40"}},
      {"contraction", {"subscripts=ij,jk,kl->il", "sizes=70", "numbers=complex"}},
      {"ao_to_mo", {"nbasis=30", "nocc=5", "nvir=25", "naux=70", "metric=yes"}},
      {"mp2_energy", {"nocc=5", "nvir=19", "naux=72"}},
      {"mp2_gradient", {"nocc=5", "nvir=19", "naux=72"}},
      {"complex_mask", {"rows=129", "columns=1000", "count=3"}},
      {"complex_modrelu", {"rows=129", "features=1000"}},
      {"complex_modrelu_vjp", {"rows=129", "features=1000"}},
      {"real_mask", {"rows=129", "features=1000"}},
      {"complex_mask_vjp", {"rows=129", "features=1000"}},
      {"complex_relu", {"rows=129", "features=1000", "kind=zrelu", "form=vjp"}},
      {"complex_batch_norm", {"rows=700", "features=70"}},
      {"complex_batch_norm", {"rows=700", "features=70", "form=vjp"}},
      {"magnitude_vjp", {"rows=129", "features=1000"}},
      {"adam", {"n=100003"}},
      {"training_step", {"samples=1500", "n_fft=64", "hop=32", "hidden=10"}},
      {"rearrange", {"rows=130", "columns=1000", "out_rows=200", "out_columns=1100"}}};
  return all;
}

// A triangular system of random numbers has no accurate solution: the diagonal dominates.
void make_dominant(std::vector<float>& matrix, std::int64_t n) {
  for (std::int64_t i = 0; i < n * n; ++i)
    matrix[std::size_t(i)] = matrix[std::size_t(i)] / float(n) + (i % (n + 1) == 0 ? 1.0f : 0.0f);
}

struct run_result {
  std::vector<double> values;  // of all outputs, one after the other
  double expected_error = 0;
};

run_result result_of(const sized_run& run, const machine_spec& machine) {
  const sized_kernel sized = size_kernel(find_kernel(run.kernel), run.settings, machine);
  device dev(machine);
  const prepared_kernel kernel(dev, sized);
  std::mt19937_64 random(5);
  std::vector<std::vector<float>> in;
  std::vector<std::vector<std::byte>> out;
  std::vector<launch_input> inputs;
  std::vector<launch_output> outputs;
  for (std::size_t i = 0; i < sized.inputs.size(); ++i) {
    const tensor_shape& shape = sized.inputs[i];
    EXPECT_EQ(shape.type, dtype::fp32);
    const input_range range = i < sized.ranges.size() ? sized.ranges[i] : input_range{};
    std::vector<float>& values = in.emplace_back(std::size_t(shape.elements()));
    for (float& v : values)
      v = range.low + (range.high - range.low) * (float(random() >> 40) * 0x1p-24f);
    if (run.kernel == std::string("trsm") && shape.extents[0] == shape.extents[1])
      make_dominant(values, shape.extents[0]);
    inputs.emplace_back(std::as_bytes(std::span(values)), shape);
  }
  for (const tensor_shape& shape : sized.outputs)
    outputs.emplace_back(std::span(out.emplace_back(std::size_t(shape.bytes()))), shape);
  kernel.launch(inputs, outputs);
  run_result result{{}, sized.expected_error};
  // A kernel that states none adds as many numbers at most as its first operand has: roundings of a
  // unit each, in random directions.
  if (result.expected_error == 0 && !sized.inputs.empty())
    result.expected_error = 0x1p-24 * std::sqrt(double(sized.inputs[0].elements()));
  // A triangle's blocks are the array's size.
  if (run.kernel == std::string("syrk")) {
    const triangle_layout layout = syrk_layout({.n = 300, .k = 130}, machine);
    array<float, 2> matrix({300, 300});
    const auto* packed = reinterpret_cast<const float*>(out[0].data());
    layout.unpack({packed, std::size_t(layout.elements())}, matrix.view());
    result.values.assign(matrix.data(), matrix.data() + matrix.size());
    return result;
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::size_t at = 0; at < out[i].size(); at += 4) {
      std::int32_t whole = 0;
      float real = 0;
      std::memcpy(&whole, &out[i][at], 4);
      std::memcpy(&real, &out[i][at], 4);
      result.values.push_back(sized.outputs[i].type == dtype::int32 ? double(whole) : double(real));
    }
  return result;
}

class made_machines : public ::testing::TestWithParam<sized_run> {};

// trainium1's values are compared with oracles elsewhere.
TEST_P(made_machines, run_what_was_designed_for_them) {
  const run_result as_trainium1 = result_of(GetParam(), trainium1());
  for (const machine_spec& machine : {half_the_sbuf(), half_the_partitions(), slow_dma()}) {
    SCOPED_TRACE(machine.name);
    require_valid(machine);
    const run_result result = result_of(GetParam(), machine);
    ASSERT_EQ(result.values.size(), as_trainium1.values.size());
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      difference += std::pow(result.values[i] - as_trainium1.values[i], 2);
      size += std::pow(as_trainium1.values[i], 2);
    }
    EXPECT_GT(size, 0);
    // Both are off by what is expected of them, and random inputs are off by up to half more.
    const double stated = result.expected_error + as_trainium1.expected_error;
    EXPECT_LE(std::sqrt(difference / size), 1.5 * stated);
  }
}

INSTANTIATE_TEST_SUITE_P(catalog, made_machines, ::testing::ValuesIn(runs()));

TEST(made_machines, every_kernel_is_among_the_runs) {
  for (const catalog_entry& entry : catalog())
    EXPECT_TRUE(std::ranges::any_of(runs(), [&](const sized_run& run) {
      return run.kernel == entry.name;
    })) << entry.name;
}

}  // namespace
}  // namespace papilio::kernels::test
