#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/machine_fields.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine {
namespace {

/// A visitor of visit_fields that calls found(name, leeway, number) for every number that has one.
template <class Found>
class leeway_visitor {
 public:
  explicit leeway_visitor(const Found& found, std::string prefix = {})
      : found_(found), prefix_(std::move(prefix)) {}

  template <class Value, class... Facts>
  void operator()([[maybe_unused]] const char* name, Value& value, const Facts&... facts) const {
    (look(name, value, facts), ...);
  }
  template <class Group>
  void group(const char* name, Group& fields) const {
    visit_fields(fields, leeway_visitor(found_, prefix_ + name + "."));
  }

 private:
  template <class Value, class Fact>
  void look([[maybe_unused]] const char* name, [[maybe_unused]] Value& value,
            [[maybe_unused]] const Fact& fact) const {
    if constexpr (std::same_as<Fact, leeway>)
      if (fact.why != nullptr)
        found_(fact.together != nullptr ? fact.together : prefix_ + name, fact, value);
  }

  const Found& found_;
  std::string prefix_;
};

template <class Machine, class Found>
void visit_open(Machine& machine, const Found& found) {
  visit_fields(machine, leeway_visitor(found));
}

enum class bound { fast, slow };

// A value outside of the range stays: it is a bound itself.
template <class Value>
void move_to(bound end, const leeway& open, Value& value) {
  value = end == bound::fast ? std::min(value, static_cast<Value>(open.low))
                             : std::max(value, static_cast<Value>(open.high));
}

machine_spec with(machine_spec machine, bound end, const std::string* only = nullptr) {
  visit_open(machine, [&](const std::string& name, const leeway& open, auto& value) {
    if (only == nullptr || name == *only) move_to(end, open, value);
  });
  return machine;
}

}  // namespace

std::vector<uncertain_field> uncertain_fields(const machine_spec& machine) {
  std::vector<uncertain_field> all;
  visit_open(machine, [&](const std::string& name, const leeway& open, const auto& value) {
    if (std::ranges::find(all, name, &uncertain_field::field) != all.end()) return;
    auto low = value, high = value;
    move_to(bound::fast, open, low);
    move_to(bound::slow, open, high);
    all.push_back({.field = name,
                   .low = fmt::format("{:g}", double(low)),
                   .high = fmt::format("{:g}", double(high)),
                   .why = open.why,
                   .fast = with(machine, bound::fast, &name),
                   .slow = with(machine, bound::slow, &name)});
  });
  return all;
}

machine_spec fastest(const machine_spec& machine) { return with(machine, bound::fast); }
machine_spec slowest(const machine_spec& machine) { return with(machine, bound::slow); }

}  // namespace papilio::engine
