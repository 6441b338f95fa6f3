#pragma once

#include <fmt/format.h>

#include <string>
#include <type_traits>

#include "base/spec_bounds.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::base_detail {

/// Called with "tensor.clock_hz: must be ..., got -1"; throws what the caller throws.
using refusal = function_ref<void(const std::string&)>;

/// A visitor of visit_fields that refuses the first field out of its bounds.
class field_checker {
 public:
  explicit field_checker(refusal refuse, std::string prefix = {})
      : refuse_(refuse), prefix_(std::move(prefix)) {}

  template <class Number, class... Facts>
  void operator()(const char* name, const Number& value, const bounds& where,
                  const Facts&...) const {
    if (!where.hold(static_cast<double>(value)))
      refuse(name, expectation(where, std::is_integral_v<Number>), fmt::format("{}", value));
  }
  template <class... Facts>
  void operator()(const char*, const bool&, const Facts&...) const {}
  void operator()(const char* name, const std::string& value) const {
    if (!is_name(value)) refuse(name, name_expectation, fmt::format("{} bytes", value.size()));
  }
  template <class Group>
  void group(const char* name, const Group& fields) const {
    visit_fields(fields, field_checker(refuse_, prefix_ + name + "."));
  }

 private:
  void refuse(const char* name, const std::string& expected, const std::string& got) const {
    refuse_(fmt::format("{}{}: {}, got {}", prefix_, name, expected, got));
  }

  refusal refuse_;
  std::string prefix_;
};

}  // namespace papilio::base_detail
