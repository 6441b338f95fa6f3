// Ten runs of the device beside themselves, bit by bit: on one and four threads, and with every
// instruction set that this build and this computer have.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <random>
#include <sstream>

#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"

namespace papilio::test {
namespace {

constexpr const char* runs[] = {
    "fft n=1009 batch=5",
    "fft n=1000 batch=3 precision=compensated",
    "rfft n=63 inner=140",
    "irfft n=4099",
    "stft samples=4000 n_fft=400 hop=160 output=db",
    "istft samples=4000 n_fft=400 hop=100 precision=split_bf16",
    "gemm m=130 k=200 n=520 dtype=bf16 bias=yes function=gelu",
    "trsm m=300 n=64 side=left refinements=2",
    "contraction subscripts=ijk,jl->ikl sizes=20 numbers=complex",
    "mp2_energy nocc=3 nvir=19 naux=72 precision=bf16_refined",
};

/// What a run leaves: the bytes of each output, and the modelled time.
struct result {
  std::vector<std::vector<std::byte>> outputs;
  double seconds = 0;

  bool operator==(const result&) const = default;
};

std::vector<std::byte> values_of(const engine::tensor_shape& shape, kernels::input_range range,
                                 std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> values(std::size_t(shape.elements()));
  for (float& v : values)
    v = range.low + (range.high - range.low) * (float(random() >> 40) * 0x1p-24f);
  std::vector<std::byte> bytes(std::size_t(shape.bytes()));
  engine::store_row(shape.type, values.data(), values.size(), bytes.data(), 1);
  return bytes;
}

result result_of(const char* run, int threads) {
  std::istringstream words(run);
  std::string kernel;
  words >> kernel;
  const std::vector<std::string> settings{std::istream_iterator<std::string>(words), {}};
  const engine::machine_spec machine = engine::trainium1();
  const kernels::sized_kernel sized =
      kernels::size_kernel(kernels::find_kernel(kernel), settings, machine);
  std::vector<std::vector<std::byte>> given;
  std::vector<engine::launch_input> inputs;
  for (std::size_t i = 0; i < sized.inputs.size(); ++i) {
    const kernels::input_range range =
        i < sized.ranges.size() ? sized.ranges[i] : kernels::input_range{};
    inputs.emplace_back(given.emplace_back(values_of(sized.inputs[i], range, i + 1)),
                        sized.inputs[i]);
  }
  result left;
  std::vector<engine::launch_output> outputs;
  for (const engine::tensor_shape& shape : sized.outputs)
    outputs.emplace_back(left.outputs.emplace_back(std::size_t(shape.bytes())), shape);
  engine::device device(machine, engine::sdk_2_24(), {.threads = threads});
  left.seconds = kernels::prepared_kernel(device, sized).launch(inputs, outputs).device_seconds;
  return left;
}

class same_bits : public testing::Test {
 protected:
  // Dispatch looks the target up at the next product.
  static void choose(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
  }
  void TearDown() override { choose(0); }
};

TEST_F(same_bits, on_one_and_four_threads) {
  for (const char* run : runs) EXPECT_EQ(result_of(run, 1), result_of(run, 4)) << run;
}

TEST_F(same_bits, with_every_instruction_set) {
  const std::int64_t supported = hwy::SupportedTargets();
  std::vector<result> expected;
  for (const char* run : runs) expected.push_back(result_of(run, 1));
  int compared = 0;
  for (const std::int64_t target : {PAPILIO_HIGHWAY_TARGETS}) {
    if ((supported & target) == 0) continue;
    choose(target);
    for (std::size_t i = 0; i < std::size(runs); ++i)
      EXPECT_EQ(result_of(runs[i], 1), expected[i]) << hwy::TargetName(target) << ' ' << runs[i];
    ++compared;
  }
  if (compared < 2) GTEST_SKIP() << "this build or this computer has one instruction set";
}

}  // namespace
}  // namespace papilio::test
