#include <gtest/gtest.h>

#include <thread>

#include "fft/wisdom_text.hpp"
#include "papilio/fft.hpp"
#include "support/temporary_directory.hpp"

namespace papilio {
namespace {

constexpr fft_options measure{.plan_effort = effort::measure};

template <class Work>
void on_four_threads(const Work& work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([&, t] { work(t); });
  for (std::thread& t : threads) t.join();
}

TEST(wisdom_threads, all_agree_on_the_first_measurement) {
  forget_wisdom();
  std::vector<recipe> designs(4);
  on_four_threads([&](int t) {
    designs[static_cast<std::size_t>(t)] =
        fft_plan<float>(1009, direction::forward, measure).design();
  });
  for (const recipe& r : designs) EXPECT_EQ(r, designs[0]);
}

TEST(wisdom_threads, measuring_saving_loading_and_forgetting_at_once) {
  forget_wisdom();
  const test::temporary_directory directory;
  const auto path = directory / "wisdom.txt";
  save_wisdom(path);
  const std::string text = test::wisdom_of({"complex float 64 (stockham 64 4 4 4)"});
  on_four_threads([&](int t) {
    for (std::size_t i = 0; i < 10; ++i) {
      fft_plan<float>(60 + i, direction::forward, measure);
      save_wisdom(path);
      import_wisdom(text);
      load_wisdom(path);
      export_wisdom();
      if (t == 0) forget_wisdom();
    }
  });
  load_wisdom(path);
}

}  // namespace
}  // namespace papilio
