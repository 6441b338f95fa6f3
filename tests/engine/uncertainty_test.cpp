#include <gtest/gtest.h>

#include <set>

#include "papilio/engine/core.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine::test {
namespace {

TEST(uncertain_fields, are_machines_with_one_thing_changed) {
  for (const machine_spec& machine : {trainium1(), trainium2()}) {
    std::set<std::string> names;
    for (const uncertain_field& f : uncertain_fields(machine)) {
      EXPECT_TRUE(names.insert(f.field).second) << f.field;
      EXPECT_FALSE(f.why.empty());
      EXPECT_NE(f.fast, f.slow) << f.field;
      EXPECT_NO_THROW(require_valid(f.fast));
      EXPECT_NO_THROW(require_valid(f.slow));
    }
    EXPECT_TRUE(names.contains("tensor.fp32_transpose_passes"));
    EXPECT_TRUE(names.contains("dma.descriptor_ns"));
    EXPECT_TRUE(names.contains("semaphore_ns"));
  }
}

TEST(uncertain_fields, have_the_values_that_documents_leave_open) {
  const machine_spec slow = slowest(trainium1()), fast = fastest(trainium1());
  EXPECT_EQ(fast.tensor.fp32_transpose_passes, 1);
  EXPECT_EQ(slow.tensor.fp32_transpose_passes, 4);
  EXPECT_EQ(fast.dma.descriptor_ns, 80);
  EXPECT_EQ(slow.dma.descriptor_ns, 145);
  EXPECT_EQ(slow.dma.indirect_descriptor_ns, 145);  // a descriptor as any other
  EXPECT_EQ(fast.vector.static_cycles, 100);
  EXPECT_EQ(slow.scalar.static_cycles, 130);
  EXPECT_EQ(slow.semaphore_ns, 100);
  EXPECT_EQ(slow.gpsimd.cycles_per_element, 2);
}

// A machine that lies outside of a range widens it.
TEST(uncertain_fields, hold_the_machine_itself) {
  machine_spec machine = trainium1();
  machine.dma.descriptor_ns = 60;
  machine.semaphore_ns = 300;
  EXPECT_EQ(fastest(machine).dma.descriptor_ns, 60);
  EXPECT_EQ(slowest(machine).semaphore_ns, 300);
}

}  // namespace
}  // namespace papilio::engine::test
