#include <time.h>

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine/environment.hpp"
#include "papilio/fft.hpp"
#include "papilio/signal/host_signals.hpp"
#include "papilio/transform.hpp"
#include "turns.hpp"

namespace papilio::bench {
namespace {

constexpr const char* about =
    R"(What dispatch costs. design: choosing between host and device under policy::automatic for a shape
that was never seen, processor time, once. host: fft_plan::execute, and over it execute_axis, and
fft, which goes through dispatch.
)";

// Of this process: what a design takes on an idle computer, whatever else runs on this one.
double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

operation fft_of(std::vector<std::size_t> extents, std::vector<std::size_t> axes,
                 fft_kind kind = fft_kind::complex, direction dir = direction::forward) {
  return fft_problem{.kind = kind,
                     .dir = dir,
                     .type = real_type::single_precision,
                     .extents = std::move(extents),
                     .axes = std::move(axes)};
}

std::vector<operation> shapes() {
  const std::size_t ten_minutes = 26460000;
  return {fft_of({4096, 1024}, {1}),
          fft_of({128, 1024}, {1}),
          fft_of({65536, 1024}, {1}),
          fft_of({1000, 1000}, {1}),
          fft_of({16384, 256}, {1}),
          fft_of({64, 16384}, {1}),
          fft_of({256, 65536}, {1}),
          fft_of({1 << 16}, {0}),
          fft_of({1 << 20}, {0}),
          fft_of({1 << 24}, {0}),
          fft_of({1000000}, {0}),
          fft_of({4097}, {0}),
          fft_of({8191}, {0}),
          fft_of({65537}, {0}),
          fft_of({1000003}, {0}),
          fft_of({1000, 8191}, {1}),
          fft_of({1024, 1024}, {0, 1}),
          fft_of({4096, 4096}, {0, 1}),
          fft_of({1000, 1000}, {0, 1}),
          fft_of({256, 256, 256}, {0, 1, 2}),
          fft_of({512, 512, 512}, {0, 1, 2}),
          fft_of({4096, 1024}, {1}, fft_kind::real),
          fft_of({4096, 1024}, {1}, fft_kind::real, direction::inverse),
          fft_of({1 << 20}, {0}, fft_kind::real),
          fft_of({4096, 4096}, {0, 1}, fft_kind::real),
          stft_problem{.samples = 16000, .n_fft = 512, .hop = 256},
          stft_problem{.samples = ten_minutes, .result = spectrum_form::magnitude},
          stft_problem{.samples = ten_minutes},
          istft_problem{.segments = 1 + ten_minutes / 512, .samples = ten_minutes},
          product_problem{std::size_t{1} << 26},
          gemm_problem{.m = 512, .k = 512, .n = 512},
          gemm_problem{.m = 1000, .k = 1000, .n = 1000},
          gemm_problem{.m = 2048, .k = 2048, .n = 2048},
          gemm_problem{.m = 4096, .k = 4096, .n = 4096},
          gemm_problem{.m = 8192, .k = 8192, .n = 8192},
          gemm_problem{.m = 2048, .k = 2048, .n = 2048, .is_complex = true},
          gemm_problem{.m = 4096, .k = 4096, .n = 4096, .is_complex = true},
          gemm_problem{.batch = 64, .m = 1024, .k = 1024, .n = 1024},
          gemm_problem{.batch = 1000, .m = 128, .k = 128, .n = 128}};
}

row design_row(const operation& what) {
  // A device that has seen nothing.
  const std::shared_ptr<engine::device> fresh = make_device("", "");
  const double start = process_seconds();
  const bool on_device = place(
      "bench", what, {.where = policy::automatic, .on = fresh.get(), .threads = 1}, host_signals());
  const double seconds = process_seconds() - start;
  const double modelled = backend_of("bench", *fresh).estimate(what, {}, *fresh).seconds();
  return {.sides = {{"papilio", [=](std::size_t n) { return seconds * static_cast<double>(n); }}},
          .counters = {{"modelled_ms", 1e3 * modelled}},
          .label = on_device ? "device" : "host"};
}

row host_row(std::size_t n) {
  const auto x = std::make_shared<array<std::complex<float>, 1>>(extents_type<1>{n}),
             y = std::make_shared<array<std::complex<float>, 1>>(extents_type<1>{n});
  const fft_plan<float> plan(n);
  const auto execute = [=] { plan.execute(std::as_const(*x).flat(), y->flat()); };
  const auto axis = [=] { plan.execute_axis(std::as_const(*x).view(), y->view(), 0); };
  const auto whole = [=] { fft(std::as_const(*x).view(), y->view()); };
  return {.sides = {timed("execute", execute), timed("execute_axis", axis), timed("fft", whole)}};
}

}  // namespace
}  // namespace papilio::bench

int main(int argc, char** argv) {
  using namespace papilio::bench;
  for (const papilio::operation& what : shapes())
    add_row("design/" + to_string(what), [=] { return design_row(what); });
  for (const std::size_t n : {8, 16, 32, 64, 128, 256, 512, 1024})
    add_row("host/" + std::to_string(n), [=] { return host_row(n); });
  return run_rows(argc, argv, about, 61);
}
