#pragma once

#include <span>
#include <string>

#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"

// Estimates and refusals of host and device for an operation; placement and comparison share them.
namespace papilio::dispatch_detail {

bool is_device_backend(const std::string& name);

struct host_answer {
  host_estimate estimate = {};
  std::string refusal = {};  ///< empty where it can
};
/// The host's estimate; an accelerator's backend in `on` is left out. A precision that the host
/// does not have is a refusal, with the estimate of native precision.
host_answer host_answer_of(const operation& what, const execution& on, const host_row& host);

/// Says why the accelerator cannot do it, as far as that is known without a design; else empty.
std::string device_refusal(const operation& what, const execution& how, const accelerator& on);

struct device_answer {
  device_estimate estimate = {};
  std::string refusal = {};
};
/// The device's estimate, by a dry run.
device_answer device_answer_of(const operation& what, const execution& how, const accelerator& on);

/// Whether a submission is one operation with all its operands: that chooses its own copies, and
/// the cores of a group that it runs on.
bool is_one_operation(const submission& s);

/// Within explain_call(): compares host and device for these submissions, and leaves the call by an
/// exception. Elsewhere it does nothing.
void explain_place(const char* name, std::span<const submission> submissions, const host_row& row);

}  // namespace papilio::dispatch_detail
