#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine {
namespace {

/// One thing that documents leave open, which may be several fields of the machine.
struct open_value {
  const char* field;
  double low, high;
  const char* why;
  std::vector<double*> (*fields)(machine_spec&);
};

std::vector<double*> descriptor(machine_spec& m) {
  return {&m.dma.descriptor_ns, &m.dma.indirect_descriptor_ns};
}
std::vector<double*> static_cycles(machine_spec& m) {
  return {&m.vector.static_cycles, &m.scalar.static_cycles};
}
std::vector<double*> semaphore(machine_spec& m) { return {&m.semaphore_ns}; }
std::vector<double*> gpsimd_elements(machine_spec& m) { return {&m.gpsimd.cycles_per_element}; }

constexpr open_value open_values[] = {
    {"dma.descriptor_ns", 80, 145,
     "78 from a published kernel's rows of 4 bytes, 107 and 145 from D2's figure at the rates of "
     "trainium2 and trainium1",
     descriptor},
    {"static_cycles", 100, 130, "about 100 by A1 and P1, 130 fitted to profile B1", static_cycles},
    {"semaphore_ns", 0, 100, "in no document but as a part of dma.start_ns", semaphore},
    {"gpsimd.cycles_per_element", 1, 2,
     "16 lanes of each of 8 processors by A1; that elementwise instructions keep them all busy is "
     "ours",
     gpsimd_elements},
};

constexpr int fewest_passes = 1, most_passes = 4;
constexpr const char* passes_field = "tensor.fp32_transpose_passes";

enum class bound { fast, slow };

// A value outside of the range stays: it is a bound itself.
template <class T>
T at(bound end, T value, T low, T high) {
  return end == bound::fast ? std::min(value, low) : std::max(value, high);
}

void set_passes(machine_spec& m, bound end) {
  int& passes = m.tensor.fp32_transpose_passes;
  passes = at(end, passes, fewest_passes, most_passes);
}

void set(machine_spec& m, const open_value& open, bound end) {
  for (double* const field : open.fields(m)) *field = at(end, *field, open.low, open.high);
}

machine_spec with_all(machine_spec m, bound end) {
  set_passes(m, end);
  for (const open_value& open : open_values) set(m, open, end);
  return m;
}

}  // namespace

std::vector<uncertain_field> uncertain_fields(const machine_spec& machine) {
  machine_spec fast = machine, slow = machine;
  set_passes(fast, bound::fast);
  set_passes(slow, bound::slow);
  std::vector<uncertain_field> all{
      {.field = passes_field,
       .low = std::to_string(fast.tensor.fp32_transpose_passes),
       .high = std::to_string(slow.tensor.fp32_transpose_passes),
       .why = "the page's cost names no type; a product with the identity takes 2 passes where it "
              "is flagged, 4 where it is not",
       .fast = fast,
       .slow = slow}};
  for (const open_value& open : open_values) {
    fast = slow = machine;
    set(fast, open, bound::fast);
    set(slow, open, bound::slow);
    all.push_back({.field = open.field,
                   .low = fmt::format("{:g}", *open.fields(fast).front()),
                   .high = fmt::format("{:g}", *open.fields(slow).front()),
                   .why = open.why,
                   .fast = fast,
                   .slow = slow});
  }
  return all;
}

machine_spec fastest(const machine_spec& machine) { return with_all(machine, bound::fast); }
machine_spec slowest(const machine_spec& machine) { return with_all(machine, bound::slow); }

}  // namespace papilio::engine
