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
  for (const machine_spec& machine : {trainium1(), trainium2(), trainium3()}) {
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

TEST(uncertain_fields, have_the_values_that_documents_and_measurements_leave_open) {
  const machine_spec slow = slowest(trainium1()), fast = fastest(trainium1());
  EXPECT_EQ(fast.tensor.exposed_load_cycles, 64);
  EXPECT_EQ(slow.tensor.exposed_load_cycles, 82);
  EXPECT_EQ(fast.tensor.fp32_transpose_passes, 2);
  EXPECT_EQ(slow.tensor.fp32_transpose_passes, 4);
  EXPECT_EQ(fast.vector.reciprocal_cycles_per_element, 2.4);
  EXPECT_EQ(slow.vector.reciprocal_cycles_per_element, 8);
  EXPECT_EQ(fast.dma.bytes_per_ns, 18.4);  // the larger rate is the faster
  EXPECT_EQ(slow.dma.bytes_per_ns, 16.4);
  EXPECT_EQ(fast.dma.descriptor_ns, 20);
  EXPECT_EQ(slow.dma.descriptor_ns, 73);
  EXPECT_EQ(fast.dma.start_ns, 900);
  EXPECT_EQ(fast.dma.short_descriptor_ns, 71);
  EXPECT_EQ(slow.dma.short_descriptor_ns, 104);
  EXPECT_EQ(fast.vector.static_cycles, 50);
  EXPECT_EQ(slow.scalar.static_cycles, 130);
  EXPECT_EQ(slow.semaphore_ns, 100);
  EXPECT_EQ(slow.gpsimd.cycles_per_element, 2);
}

// Of several ranges that of the machine's value counts; a value of none widens the last.
TEST(uncertain_fields, differ_by_the_machine) {
  machine_spec two = trainium2();
  EXPECT_EQ(fastest(two).tensor.exposed_load_cycles, 0);
  EXPECT_EQ(slowest(two).tensor.exposed_load_cycles, 50);
  EXPECT_EQ(slowest(two).dma.descriptor_ns, 107);
  EXPECT_EQ(fastest(two).dma.bytes_per_ns, 23);
  EXPECT_EQ(slowest(two).dma.bytes_per_ns, 23);
  two.tensor.exposed_load_cycles = 100;
  EXPECT_EQ(fastest(two).tensor.exposed_load_cycles, 0);
  EXPECT_EQ(slowest(two).tensor.exposed_load_cycles, 100);
}

// Two pages of one machine that disagree: both values are bounds.
TEST(uncertain_fields, name_the_pages_of_trainium3_that_disagree) {
  const machine_spec fast = fastest(trainium3()), slow = slowest(trainium3());
  EXPECT_EQ(fast.hbm.bandwidth_bytes_per_s, 4.9e12);
  EXPECT_EQ(slow.hbm.bandwidth_bytes_per_s, 4.7e12);
  EXPECT_EQ(fast.link.collective_cores, 20);
  EXPECT_EQ(slow.link.collective_cores, 16);
  EXPECT_EQ(fast.link.chip_bytes_per_ns, 2560);
  EXPECT_EQ(slow.link.chip_bytes_per_ns, 256);
  EXPECT_EQ(fast.tensor.background_transposes, 1);
  EXPECT_EQ(slow.tensor.background_transposes, 0);
  EXPECT_EQ(fast.dma.bytes_per_ns, 33);
  EXPECT_EQ(slow.dma.bytes_per_ns, 33);
  EXPECT_EQ(fastest(trainium1()).tensor.background_transposes, 0);
  EXPECT_EQ(fastest(trainium2()).hbm.bandwidth_bytes_per_s, 3e12);
  const std::vector<uncertain_field> all = uncertain_fields(trainium3());
  const auto bandwidth =
      std::ranges::find(all, "hbm.bandwidth_bytes_per_s", &uncertain_field::field);
  ASSERT_NE(bandwidth, all.end());
  EXPECT_EQ(bandwidth->why, "4.7 TB/s by A3, 4.9 by H3");
}

// A machine that lies outside of a range widens it.
TEST(uncertain_fields, hold_the_machine_itself) {
  machine_spec machine = trainium1();
  machine.dma.short_descriptor_ns = 60;
  machine.semaphore_ns = 300;
  EXPECT_EQ(fastest(machine).dma.short_descriptor_ns, 60);
  EXPECT_EQ(slowest(machine).semaphore_ns, 300);
}

// Where a measurement contradicts a value, its bound says which.
TEST(uncertain_fields, cite_the_measurements_that_contradict_them) {
  const std::vector<uncertain_field> all = uncertain_fields(trainium1());
  const auto why = [&](const char* field) {
    const auto at = std::ranges::find(all, field, &uncertain_field::field);
    return at == all.end() ? std::string() : at->why;
  };
  EXPECT_NE(why("tensor.exposed_load_cycles").find("ladder"), std::string::npos);
  EXPECT_NE(why("tensor.fp32_transpose_passes").find("rmsnorm_matmul"), std::string::npos);
  EXPECT_NE(why("vector.reciprocal_cycles_per_element").find("silu"), std::string::npos);
  EXPECT_NE(why("static_cycles").find("bmm"), std::string::npos);
  EXPECT_NE(why("dma.bytes_per_ns").find("35.2 ms"), std::string::npos);
  EXPECT_NE(why("dma.descriptor_ns").find("step 1"), std::string::npos);
  EXPECT_NE(why("dma.short_descriptor_ns").find("fftn"), std::string::npos);
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
  EXPECT_EQ(named(sources(machine), "vector.static_cycles").origin, value_origin::document);
  EXPECT_EQ(named(sources(machine), "dma.descriptor_ns").origin, value_origin::fitted);
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
  EXPECT_EQ(named(sources(sdk_2_32_trn2()), "launch_us").origin, value_origin::document);
  EXPECT_EQ(named(sources(sdk_2_32_trn2()), "load_seconds").origin, value_origin::measured);
  EXPECT_EQ(named(sources(sdk_2_32_trn3()), "launch_us").origin, value_origin::inherited);
  for (const char* const preset : runtime_presets)
    for (const sourced_value& c : sources(load_runtime(preset))) {
      EXPECT_FALSE(c.source.empty()) << c.field;
      EXPECT_NE(c.origin, value_origin::given) << c.field;
    }
}

// Documents are cited by tags of the list of documents.
TEST(sources, cite_documents_by_their_tags) {
  const std::regex tag(
      R"((A1|I:|K:|L:|D1|P1|H1|M1|T1|E1|N1|C1|B1)|[A-Z][0-9]|nki\.api\.shared|SDK)");
  for (const machine_spec& machine : {trainium1(), trainium2(), trainium3()})
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
