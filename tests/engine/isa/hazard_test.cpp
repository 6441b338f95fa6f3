// Two instructions that touch the same bytes on different queues: the second starts when the first
// has ended, to the rounding of a sum. One test for each kind of hazard in each memory; whatever the
// machine's costs are.
#include <algorithm>
#include <functional>

#include "engine/support.hpp"
#include "papilio/engine/profile.hpp"

namespace papilio::engine::test {
namespace {

enum class hazard { none, read_after_write, write_after_read, write_after_write };
constexpr hazard kinds[] = {hazard::read_after_write, hazard::write_after_read,
                            hazard::write_after_write};

const char* to_string(hazard kind) {
  switch (kind) {
    case hazard::none:
      return "none";
    case hazard::read_after_write:
      return "read after write";
    case hazard::write_after_read:
      return "write after read";
    case hazard::write_after_write:
      return "write after write";
  }
  return "?";
}

/// trainium1 with ports apart, so that nothing but hazards makes an engine wait for another, which
/// takes a signal's time.
machine_spec apart() {
  machine_spec m = trainium1();
  m.semaphore_ns = 40;
  m.sbuf.gpsimd_shares_vector_port = false;
  m.psum.scalar_shares_vector_port = false;
  return m;
}

/// Copies on `on`; transfers through `queue`.
instruction move(const tile_view& out, const tile_view& in, unit on, int queue) {
  if (on == unit::dma) return dma_copy{.out = out, .in = in, .queue = queue};
  return copy(out, in, on);
}

/// When the second of two instructions starts and ends, and when the later of them ends.
struct second_run {
  double start_ns, end_ns, last_ns;
};
using program = std::function<void(core&)>;

second_run second_of(const machine_spec& machine, const program& issue) {
  core nc(machine, {.mode = run_mode::dry_run, .strict = false, .trace = true});
  issue(nc);
  const trace t = nc.timeline_trace();
  EXPECT_EQ(t.instructions().size(), 2u);
  const traced_instruction &first = t.instructions()[0], &second = t.instructions()[1];
  return {second.start_ns, second.end_ns, std::max(first.end_ns, second.end_ns)};
}

/// The end of all on a core that keeps no trace, which looks at fewer accesses.
double total_ns(const machine_spec& machine, const program& issue) {
  core nc(machine, {.mode = run_mode::dry_run, .strict = false});
  issue(nc);
  return nc.summary().value("total_time") * 1e9;
}

/// The second starts `latency_ns` after `ready_ns`, and earlier where the two have nothing in
/// common.
void expect_wait(const machine_spec& machine, const program& meeting, const program& apart_from,
                 double ready_ns, double latency_ns, const std::string& what) {
  const second_run ran = second_of(machine, meeting);
  EXPECT_NEAR(ran.start_ns, ready_ns + machine.semaphore_ns + latency_ns, 1e-6) << what;
  EXPECT_NEAR(total_ns(machine, meeting), ran.last_ns, 1e-6) << what;
  EXPECT_LT(second_of(machine, apart_from).start_ns, ran.start_ns - 1) << what;
}

/// The second instruction's tiles among those of the first, which reads a and writes b.
struct operands_of_second {
  tile_view out, in;
};
operands_of_second second_operands(hazard kind, const tile_view& a, const tile_view& b,
                                   const tile_view& c, const tile_view& d) {
  switch (kind) {
    case hazard::none:
      break;
    case hazard::read_after_write:
      return {d, b};
    case hazard::write_after_read:
      return {a, c};
    case hazard::write_after_write:
      return {b, c};
  }
  return {d, c};
}

double latency_ns(const machine_spec& machine, unit on) {
  return on == unit::dma ? machine.dma.start_ns : 0;
}

/// Copies between tiles of one memory, on each pair of units.
void expect_hazards_among(memory_space space, std::initializer_list<unit> units, hazard kind) {
  const machine_spec m = apart();
  const std::int64_t columns = 512;
  for (const unit first : units)
    for (const unit second : units) {
      if (first == second && first != unit::dma) continue;  // in order anyway
      double first_ns = 0;
      const auto run = [&](hazard what) {
        return [&, what](core& nc) {
          std::vector<tile> t;
          for (int i = 0; i < 4; ++i)
            t.push_back(space == memory_space::sbuf ? nc.sbuf(128, columns)
                                                    : nc.psum(128, columns));
          const instruction one = move(t[1], t[0], first, 1);
          first_ns = cost_ns(one, nc.machine());
          nc.issue(one);
          const operands_of_second with = second_operands(what, t[0], t[1], t[2], t[3]);
          nc.issue(move(with.out, with.in, second, 2));
        };
      };
      second_of(m, run(kind));
      expect_wait(
          m, run(kind), run(hazard::none), first_ns, latency_ns(m, second),
          std::string(to_string(kind)) + ": " + to_string(first) + ", then " + to_string(second));
    }
}

constexpr std::initializer_list<unit> of_sbuf{unit::vector, unit::scalar, unit::gpsimd, unit::dma},
    of_psum{unit::vector, unit::scalar};

TEST(hazards_in_sbuf, read_after_write) {
  expect_hazards_among(memory_space::sbuf, of_sbuf, hazard::read_after_write);
}
TEST(hazards_in_sbuf, write_after_read) {
  expect_hazards_among(memory_space::sbuf, of_sbuf, hazard::write_after_read);
}
TEST(hazards_in_sbuf, write_after_write) {
  expect_hazards_among(memory_space::sbuf, of_sbuf, hazard::write_after_write);
}
TEST(hazards_in_psum, read_after_write) {
  expect_hazards_among(memory_space::psum, of_psum, hazard::read_after_write);
}
TEST(hazards_in_psum, write_after_read) {
  expect_hazards_among(memory_space::psum, of_psum, hazard::write_after_read);
}
TEST(hazards_in_psum, write_after_write) {
  expect_hazards_among(memory_space::psum, of_psum, hazard::write_after_write);
}

/// Transfers between a tile and a tensor of the program, through two queues.
void expect_hazard_of_transfers(hazard kind) {
  const machine_spec m = apart();
  double first_ns = 0;
  const auto run = [&](hazard what) {
    return [&, what](core& nc) {
      const hbm_view shared = nc.hbm({128, 512}), other = nc.hbm({128, 512});
      const tile x = nc.sbuf(128, 512), y = nc.sbuf(128, 512);
      const bool first_reads = what == hazard::write_after_read;
      dma_copy one{.out = shared, .in = x.whole(), .queue = 1};
      if (first_reads) one = {.out = x.whole(), .in = shared, .queue = 1};
      first_ns = cost_ns(one, nc.machine());
      nc.issue(one);
      const hbm_view& met = what == hazard::none ? other : shared;
      if (what == hazard::read_after_write)
        nc.issue(dma_copy{.out = y.whole(), .in = met, .queue = 2});
      else
        nc.issue(dma_copy{.out = met, .in = y.whole(), .queue = 2});
    };
  };
  second_of(m, run(kind));
  expect_wait(m, run(kind), run(hazard::none), first_ns, m.dma.start_ns, to_string(kind));
}

TEST(hazards_in_hbm, read_after_write) { expect_hazard_of_transfers(hazard::read_after_write); }
TEST(hazards_in_hbm, write_after_read) { expect_hazard_of_transfers(hazard::write_after_read); }
TEST(hazards_in_hbm, write_after_write) { expect_hazard_of_transfers(hazard::write_after_write); }

// A product's sum in PSUM, and its operands in SBUF. The multiply begins behind its load.
struct products : testing::Test {
  machine_spec m = apart();
  tile s, x, p, q, spare, wide;

  void take(core& nc) {
    s = nc.sbuf(128, 128), x = nc.sbuf(128, 512), spare = nc.sbuf(128, 128);
    wide = nc.sbuf(128, 512), p = nc.psum(128, 512), q = nc.psum(128, 512);
  }
  void release() { s = {}, x = {}, p = {}, q = {}, spare = {}, wide = {}; }
  matmul product(const tile& out) const { return {.out = out, .stationary = s, .moving = x}; }
  /// Runs both programs on tiles of their own.
  void expect(const program& meeting, const program& apart_from, double ready_ns,
              const std::string& what) {
    const auto with_tiles = [this](const program& issue) {
      return [this, &issue](core& nc) {
        take(nc);
        issue(nc);
        release();
      };
    };
    expect_wait(m, with_tiles(meeting), with_tiles(apart_from), ready_ns, 0, what);
  }
  /// The product alone, on an idle core: LoadStationary, then the multiply.
  second_run alone() {
    core nc(m, {.mode = run_mode::dry_run, .strict = false, .trace = true});
    take(nc);
    nc.issue(product(p));
    release();
    const trace t = nc.timeline_trace();
    const traced_instruction& one = t.instructions()[0];
    return {one.start_ns, one.end_ns, one.end_ns};
  }
  double cost(const std::function<instruction()>& make) {
    core nc(m, {.mode = run_mode::dry_run, .strict = false});
    take(nc);
    const double ns = cost_ns(make(), m);
    release();
    return ns;
  }
};

TEST_F(products, are_read_after_they_are_written) {
  expect([&](core& nc) { nc.issue(product(p)), nc.issue(copy(wide, p, unit::scalar)); },
         [&](core& nc) { nc.issue(product(p)), nc.issue(copy(wide, q, unit::scalar)); },
         alone().end_ns, "sum");
}

TEST_F(products, are_written_after_the_last_ones_are_read) {
  expect([&](core& nc) { nc.issue(copy(wide, p, unit::scalar)), nc.issue(product(p)); },
         [&](core& nc) { nc.issue(copy(wide, q, unit::scalar)), nc.issue(product(p)); },
         cost([&] { return copy(wide, p, unit::scalar); }), "sum");
}

TEST_F(products, are_written_after_what_was_written_before) {
  const auto clear = [](const tile& t) { return memset{.out = t}; };
  expect([&](core& nc) { nc.issue(clear(p)), nc.issue(product(p)); },
         [&](core& nc) { nc.issue(clear(q)), nc.issue(product(p)); },
         cost([&] { return clear(p); }), "sum");
}

TEST_F(products, multiply_after_the_moving_operand_is_written) {
  expect([&](core& nc) { nc.issue(copy(x, wide, unit::vector)), nc.issue(product(p)); },
         [&](core& nc) { nc.issue(copy(wide, wide, unit::vector)), nc.issue(product(p)); },
         cost([&] { return copy(x, wide, unit::vector); }), "moving");
}

TEST_F(products, load_after_the_stationary_operand_is_written) {
  const double load_ns = alone().start_ns;
  expect([&](core& nc) { nc.issue(copy(s, spare, unit::vector)), nc.issue(product(p)); },
         [&](core& nc) { nc.issue(copy(spare, spare, unit::vector)), nc.issue(product(p)); },
         cost([&] { return copy(s, spare, unit::vector); }) + load_ns, "stationary");
}

// The stationary operand may be written when it is loaded, the moving one when it has been
// multiplied.
TEST_F(products, let_their_operands_be_written_when_they_are_read) {
  const second_run one = alone();
  expect([&](core& nc) { nc.issue(product(p)), nc.issue(copy(s, spare, unit::vector)); },
         [&](core& nc) { nc.issue(product(p)), nc.issue(copy(spare, spare, unit::vector)); },
         one.start_ns, "stationary");
  expect([&](core& nc) { nc.issue(product(p)), nc.issue(copy(x, wide, unit::vector)); },
         [&](core& nc) { nc.issue(product(p)), nc.issue(copy(wide, wide, unit::vector)); },
         one.end_ns, "moving");
}

// Many accesses to one tile are kept in another form than a few.
TEST(hazards_of_many, a_write_waits_for_the_last_of_the_reads) {
  constexpr int reads = 40;
  for (const bool traced : {false, true}) {
    core nc(apart(), {.mode = run_mode::dry_run, .strict = false, .trace = traced});
    const tile x = nc.sbuf(128, 64 * reads), y = nc.sbuf(128, 64);
    const hbm_view from = nc.hbm({128, 64 * reads});
    double last_ns = 0;
    for (int i = 0; i < reads; ++i) {
      const instruction one = copy(y, x->columns(64 * i, 64), unit::scalar);
      nc.issue(one);
      last_ns += cost_ns(one, nc.machine());
    }
    const dma_copy load{.out = x.whole(), .in = from};
    nc.issue(load);
    EXPECT_NEAR(nc.summary().value("total_time") * 1e9,
                last_ns + nc.machine().semaphore_ns + cost_ns(load, nc.machine()), 1e-6);
  }
}

// The tile that a pool gives again is of another use, which the new one waits for.
TEST(hazards_of_pools, what_a_tile_was_used_for_is_past_before_it_is_used_again) {
  core nc(apart(), {.mode = run_mode::dry_run, .strict = false, .trace = true});
  tile_pool pool = nc.sbuf_pool(1, 128, 512);
  const tile y = nc.sbuf(128, 512), z = nc.sbuf(128, 512);
  const instruction one = copy(y, pool.next(), unit::vector);
  nc.issue(one);
  nc.issue(copy(pool.next(), z, unit::scalar));
  EXPECT_NEAR(nc.timeline_trace().instructions()[1].start_ns, cost_ns(one, nc.machine()), 1e-6);
}

}  // namespace
}  // namespace papilio::engine::test
