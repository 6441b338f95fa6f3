#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "papilio/engine/core.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/runtime_spec.hpp"

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

const sourced_value& named(const std::vector<sourced_value>& all, const std::string& field) {
  const auto at = std::ranges::find(all, field, &sourced_value::field);
  EXPECT_NE(at, all.end()) << field;
  return at == all.end() ? all.front() : *at;
}

TEST(sources, are_those_of_the_preset_that_has_the_value) {
  machine_spec machine = trainium1();
  EXPECT_EQ(named(sources(machine), "tensor.clock_hz").source, "A1");
  EXPECT_EQ(named(sources(trainium2()), "tensor.clock_hz").source, "A2");
  EXPECT_EQ(named(sources(trainium2()), "sbuf.partitions").source, "A1");
  EXPECT_EQ(named(sources(machine), "semaphore_ns").origin, value_origin::ours);
  EXPECT_EQ(named(sources(machine), "vector.static_cycles").origin, value_origin::fitted);
  machine.tensor.clock_hz = trainium2().tensor.clock_hz;
  machine.semaphore_ns = 12;
  EXPECT_EQ(named(sources(machine), "tensor.clock_hz").source, "A2");
  EXPECT_EQ(named(sources(machine), "semaphore_ns").origin, value_origin::given);
  EXPECT_EQ(named(sources(machine), "semaphore_ns").value, "12");
  // What no cost has is not listed.
  for (const sourced_value& c : sources(machine)) EXPECT_NE(c.field.rfind("thresholds.", 0), 0u);
}

TEST(sources, of_runtimes) {
  EXPECT_EQ(named(sources(sdk_2_24()), "launch_us").origin, value_origin::fitted);
  EXPECT_EQ(named(sources(sdk_2_29()), "launch_us").origin, value_origin::measured);
  EXPECT_EQ(named(sources(sdk_2_29_trn2()), "host_to_device_us_per_mb").origin, value_origin::ours);
  for (const runtime_spec& runtime : {sdk_2_24(), sdk_2_29(), sdk_2_29_trn2()})
    for (const sourced_value& c : sources(runtime)) {
      EXPECT_FALSE(c.source.empty()) << c.field;
      EXPECT_NE(c.origin, value_origin::given) << c.field;
    }
}

// Documents are cited by tags of the list of documents.
TEST(sources, cite_documents_by_their_tags) {
  const std::regex tag(R"((A1|I:|L:|D1|P1|H1|M1|T1|E1|N1|C1|B1)|[A-Z][0-9]|nki\.api\.shared|SDK)");
  for (const machine_spec& machine : {trainium1(), trainium2()})
    for (const sourced_value& c : sources(machine)) {
      EXPECT_FALSE(c.source.empty()) << c.field;
      if (c.origin != value_origin::document) continue;
      std::smatch found;
      ASSERT_TRUE(std::regex_search(c.source, found, tag)) << c.field << ": " << c.source;
      const std::string head = found.str().substr(0, 2);
      if (head == "nk" || head == "SD") continue;
      EXPECT_TRUE(std::ranges::any_of(
          source_documents, [&](const source_document& d) { return d.tag.substr(0, 2) == head; }))
          << c.field << ": " << c.source;
    }
}

// The comments of the header and the list of fields name the same documents.
TEST(sources, are_those_of_the_comments) {
  std::ifstream file(PAPILIO_SOURCE_DIR "/include/papilio/engine/machine_spec.hpp");
  ASSERT_TRUE(file.good());
  const std::vector<sourced_value> all = sources(trainium1());
  const std::regex begin(R"(struct (\w+)_spec\b.*)"),
      field(R"(  \S+ (\w+) = .*;\s+///< ((?:[A-Z]\d|[IL]:\w+)(?:, (?:[A-Z]\d|[IL]:\w+))*)[:;]?.*)");
  std::string group;
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    std::smatch m;
    if (std::regex_match(line, m, begin)) {
      group = m[1].str();
      if (const auto at = group.find("_engine"); at != std::string::npos) group.resize(at);
      group = group == "machine" ? "" : group + ".";
    }
    if (!std::regex_match(line, m, field) || group == "lane.") continue;
    if (m[1].str() == "core") continue;  // a name
    const sourced_value& listed = named(all, group + m[1].str());
    EXPECT_EQ(listed.source.rfind(m[2].str(), 0), 0u) << line << "\n" << listed.source;
    ++compared;
  }
  EXPECT_GT(compared, 90);
}

}  // namespace
}  // namespace papilio::engine::test
