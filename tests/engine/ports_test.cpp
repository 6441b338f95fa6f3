#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "papilio/engine/core.hpp"

namespace papilio::engine::test {
namespace {

struct interval {
  double start, end;
  std::size_t instruction;
};

// Instructions of which two may not run at once, in the order of time.
void expect_disjoint(std::vector<interval> all, const char* port) {
  std::ranges::sort(all, {}, &interval::start);
  for (std::size_t i = 1; i < all.size(); ++i)
    EXPECT_LE(all[i - 1].end, all[i].start)
        << port << ": " << all[i - 1].instruction << " and " << all[i].instruction;
}

// On trainium1 vector and gpsimd share SBUF's port, vector and scalar PSUM's. Every unit works on
// tiles of its own, so that nothing but the ports orders them.
TEST(ports, serve_one_instruction_at_a_time) {
  core nc(trainium1(), {.mode = run_mode::dry_run, .strict = false, .trace = true});
  const tile vector_p = nc.psum(128, 512), scalar_p = nc.psum(128, 512);
  const tile v = nc.sbuf(128, 512), s = nc.sbuf(128, 512), g = nc.sbuf(128, 512);
  std::mt19937 random(7);
  std::vector<bool> sbuf, psum;
  for (int i = 0; i < 3000; ++i) {
    const std::int64_t n = 1 + std::int64_t(random() % 512);
    switch (random() % 5) {
      case 0:
        nc.issue(tensor_copy{.out = v->columns(0, n), .in = vector_p->columns(0, n)});
        sbuf.push_back(true), psum.push_back(true);
        break;
      case 1:
        nc.issue(tensor_copy{.out = v->columns(0, n), .in = v->columns(0, n)});
        sbuf.push_back(true), psum.push_back(false);
        break;
      case 2:
        nc.issue(tensor_copy{.out = vector_p->columns(0, n), .in = vector_p->columns(0, n)});
        sbuf.push_back(false), psum.push_back(true);
        break;
      case 3:
        nc.issue(activation{.out = s->columns(0, n), .in = scalar_p->columns(0, n)});
        sbuf.push_back(false), psum.push_back(true);
        break;
      default:
        nc.issue(tensor_copy{.out = g->columns(0, n), .in = g->columns(0, n), .on = unit::gpsimd});
        sbuf.push_back(true), psum.push_back(false);
    }
  }
  const trace t = nc.timeline_trace();
  std::vector<interval> of_sbuf, of_psum;
  for (std::size_t i = 0; i < t.instructions().size(); ++i) {
    const traced_instruction& one = t.instructions()[i];
    if (sbuf[i]) of_sbuf.push_back({one.start_ns, one.end_ns, i});
    if (psum[i]) of_psum.push_back({one.start_ns, one.end_ns, i});
  }
  expect_disjoint(of_sbuf, "SBUF");
  expect_disjoint(of_psum, "PSUM");
}

// Trainium2: a bank each, so that the two meet only where they touch the same one.
TEST(ports, of_banks_are_apart_on_trainium2) {
  core nc(trainium2(), {.mode = run_mode::dry_run, .strict = false, .trace = true});
  const tile a = nc.psum(128, 512), b = nc.psum(128, 512);
  nc.issue(tensor_copy{.out = a, .in = a});
  nc.issue(tensor_copy{.out = b, .in = b, .on = unit::scalar});
  const trace t = nc.timeline_trace();
  EXPECT_EQ(t.instructions()[0].start_ns, 0);
  EXPECT_EQ(t.instructions()[1].start_ns, 0);
}

// A gap that the program leaves is used by whoever fits, though it asks later.
TEST(ports, fill_gaps) {
  core nc(trainium1(), {.mode = run_mode::dry_run, .strict = false, .trace = true});
  const hbm_view in = nc.hbm({128, 512});
  const tile v = nc.sbuf(128, 512), g = nc.sbuf(128, 512);
  nc.issue(dma_copy{.out = v.whole(), .in = in});
  nc.issue(tensor_copy{.out = v, .in = v});  // waits for the load
  nc.issue(tensor_copy{.out = g, .in = g, .on = unit::gpsimd});
  const trace t = nc.timeline_trace();
  EXPECT_GT(t.instructions()[1].start_ns, 2000);
  EXPECT_EQ(t.instructions()[2].start_ns, 0);
}

}  // namespace
}  // namespace papilio::engine::test
