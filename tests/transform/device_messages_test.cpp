// What is thrown names the function that was called, in a capture too.
#include <optional>

#include "support/device_case.hpp"

namespace papilio {
namespace {

using test::message_of;
using test::random_array;
using C = std::complex<float>;

TEST(device_messages, operands_of_the_host_in_a_capture) {
  engine::device dev;
  const auto x = random_array<C, 1>({32}, 1);
  const execution on{.where = policy::device, .on = &dev};
  const std::string rest =
      ": inside capture() operands must be device arrays: those of the host may not last";
  EXPECT_EQ(message_of<invalid_argument>([&] { capture(dev, [&] { fft(x, {.on = on}); }); }),
            "fft" + rest);
  EXPECT_EQ(message_of<invalid_argument>([&] { capture(dev, [&] { czt(x, {.on = on}); }); }),
            "czt" + rest);
  EXPECT_EQ(
      message_of<invalid_argument>([&] { capture(dev, [&] { fftconvolve(x, x, {.on = on}); }); }),
      "fftconvolve" + rest);
}

TEST(device_messages, tensors_that_a_graph_has) {
  engine::device dev;
  const auto x = random_array<C, 1>({32}, 2);
  array<C, 1> y({32});
  device_array<C, 1> input, between, result;
  auto graph = capture(dev, [&] {
    input = to_device(dev, x);
    between = fft(input);
    result = ifft(between);
    to_host(result, y.view());
  });
  const auto has = [](const std::string& text, const std::string& begin) {
    EXPECT_EQ(text.substr(0, begin.size()), begin) << text;
  };
  has(message_of<device_error>([&] { fft(input); }),
      "fft: the device array belongs to a graph, as an array that it reads");
  has(message_of<device_error>([&] { ifft(result); }),
      "ifft: the device array belongs to a graph, as an array that it writes");
  has(message_of<device_error>([&] { fftconvolve(input, input); }),
      "fftconvolve: the device array");
  has(message_of<device_error>([&] { fft(between); }), "fft: the device array holds nothing");
  has(message_of<device_error>([&] { to_host(between); }), "to_host: the device array holds");
  // A second graph that reads what the first has yet to write.
  auto later = capture(dev, [&] { fft(between); });
  has(message_of<device_error>([&] { later.submit(); }), "device_graph::submit: ");
  graph.submit();
  EXPECT_NO_THROW(later.submit());
}

TEST(device_messages, memory_that_does_not_suffice) {
  engine::device dev;
  const auto there = to_device(dev, random_array<C, 1>({1 << 12}, 3));
  std::vector<engine::device_buffer> rest;
  rest.push_back(dev.allocate({{(dev.free_bytes() - (1 << 14)) / 4}}));
  for (const bool in_capture : {false, true}) {
    const std::string text = message_of<device_error>([&] {
      if (in_capture)
        capture(dev, [&] { fft(there); });
      else
        fft(there);
    });
    EXPECT_EQ(text.substr(0, 5), "fft: ") << text;
  }
  EXPECT_EQ(message_of<device_error>([&] { to_device(dev, array<C, 1>({1 << 12})); }).substr(0, 11),
            "to_device: ");
}

}  // namespace
}  // namespace papilio
