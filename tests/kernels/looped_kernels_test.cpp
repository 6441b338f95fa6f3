// Kernels that are issued as loops compute the bits of the unrolled ones.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "kernels/runs.hpp"

namespace papilio::kernels::test {
namespace {

struct looped_run {
  const char* kernel;
  std::vector<std::string> settings;
  int tiles_max;  // products that may be loaded: fewer than the machine's, so that runs are short
};

std::vector<std::vector<float>> outputs_of(const sized_kernel& sized, engine::device& on,
                                           engine::program_form& form) {
  std::vector<array<float, 2>> in;
  std::vector<engine::launch_input> inputs;
  for (std::size_t i = 0; i < sized.inputs.size(); ++i) {
    in.push_back(values_between(-1, 1, 1, sized.inputs[i].elements(), i + 1));
    inputs.emplace_back(std::as_bytes(std::span(in.back().data(), in.back().size())),
                        sized.inputs[i]);
  }
  std::vector<std::vector<float>> out;
  std::vector<engine::launch_output> outputs;
  for (const engine::tensor_shape& shape : sized.outputs)
    out.emplace_back(std::size_t(shape.elements()));
  for (std::size_t o = 0; o < out.size(); ++o)
    outputs.emplace_back(std::as_writable_bytes(std::span(out[o])), sized.outputs[o]);
  form = prepared_kernel(on, sized).launch(inputs, outputs).summary.verdict.form;
  return out;
}

TEST(looped_kernels, compute_the_same_bits) {
  const std::vector<looped_run> runs{
      {"gemm", {"m=512", "k=128", "n=2048"}, 16},
      {"gemm", {"m=640", "k=200", "n=1600"}, 40},
      {"complex_gemm", {"m=512", "k=128", "n=1024"}, 16},
      {"fft", {"batch=1000", "n=256"}, 80},
      {"fft", {"batch=600", "n=360"}, 60},
      {"rfft", {"batch=4096", "n=1024"}, 300},
      {"istft", {"samples=60000", "n_fft=256", "hop=128"}, 24},
      {"published/gemm", {"m=512", "k=256", "n=2048"}, 8},
  };
  for (const looped_run& run : runs)
    for (engine::machine_spec machine : {engine::trainium1(), engine::trainium2()}) {
      SCOPED_TRACE(std::string(run.kernel) + " " + run.settings.back() + " " + machine.name);
      const sized_kernel sized = size_kernel(find_kernel(run.kernel), run.settings, machine);
      machine.lowering.looped_tiles_max = run.tiles_max;
      sized_kernel same = sized;
      same.machine.reset();
      engine::device unrolled(machine), looped(machine, engine::sdk_2_24(), {.loops_within = 1e9});
      engine::program_form none, form;
      const auto expected = outputs_of(same, unrolled, none), got = outputs_of(same, looped, form);
      EXPECT_TRUE(form.as_loops);
      EXPECT_GT(form.iterations, 1u);
      EXPECT_LE(form.loaded_tiles, std::uint64_t(run.tiles_max));
      EXPECT_FALSE(none.as_loops);
      EXPECT_EQ(got, expected);
    }
}

}  // namespace
}  // namespace papilio::kernels::test
