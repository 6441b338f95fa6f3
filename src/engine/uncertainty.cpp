#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/machine_fields.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine {
namespace {

/// This visitor of visit_fields calls found(name, leeway, number) for every number with a leeway.
template <class Found>
class leeway_visitor {
 public:
  explicit leeway_visitor(const Found& found, std::string prefix = {})
      : found_(found), prefix_(std::move(prefix)) {}

  template <class Value, class... Facts>
  void operator()([[maybe_unused]] const char* name, Value& value, const Facts&... facts) const {
    [[maybe_unused]] const leeway* open = nullptr;
    (look(open, value, facts), ...);
    if constexpr (std::is_arithmetic_v<std::remove_const_t<Value>>)
      if (open != nullptr && open->why != nullptr)
        found_(open->together != nullptr ? open->together : prefix_ + name, *open, value);
  }
  template <class Group>
  void group(const char* name, Group& fields) const {
    visit_fields(fields, leeway_visitor(found_, prefix_ + name + "."));
  }

 private:
  template <class Value, class Fact>
  static void look([[maybe_unused]] const leeway*& open, [[maybe_unused]] const Value& value,
                   [[maybe_unused]] const Fact& fact) {
    if constexpr (std::same_as<Fact, leeway>)
      if (open == nullptr || !open->holds(double(value))) open = &fact;
  }

  const Found& found_;
  std::string prefix_;
};

template <class Machine, class Found>
void visit_open(Machine& machine, const Found& found) {
  visit_fields(machine, leeway_visitor(found));
}

enum class bound { fast, slow };

// A value outside its range is itself the bound on that side, and is kept.
template <class Value>
void move_to(bound end, const leeway& open, Value& value) {
  const auto to = static_cast<Value>(end == bound::fast ? open.fast : open.slow);
  value =
      (end == bound::fast) == (open.fast < open.slow) ? std::min(value, to) : std::max(value, to);
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
