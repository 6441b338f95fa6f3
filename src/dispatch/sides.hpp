#pragma once

#include <span>
#include <string>

#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"

// What either side says of an operation; placement and comparison ask the same questions.
namespace papilio::dispatch_detail {

bool is_device_backend(const std::string& name);

struct host_side {
  host_estimate estimate = {};
  std::string refusal = {};  ///< empty: it can
};
/// Whatever backend of accelerators is asked for. A precision that the host does not have is a
/// refusal with the estimate of native precision.
host_side host_side_of(const operation& what, const execution& on, const host_row& host);

/// Why the accelerator cannot do it, as far as it is told without a design; empty where it may.
std::string device_refusal(const operation& what, const execution& how, const accelerator& on);

struct device_side {
  device_estimate estimate = {};
  std::string refusal = {};
};
/// By a dry run.
device_side device_side_of(const operation& what, const execution& how, const accelerator& on);

/// An operation with all its operands chooses its copies, and the cores of a group that it runs on.
bool is_one_operation(const submission& s);

/// While a call is explained: compares both sides for what it asks place() of, and leaves it. Else
/// nothing.
void explain_place(const char* name, std::span<const submission> submissions, const host_row& row);

}  // namespace papilio::dispatch_detail
