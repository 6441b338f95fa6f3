#pragma once

#include "papilio/dispatch.hpp"

namespace papilio::test {

/// A computer of round numbers. Levels hold 1e3, 1e4 and 1e6 bytes.
inline host_model made_up_host() {
  host_model h;
  h.source = "made.json";
  h.cores = 4;
  h.clock_hz = 1e9;
  h.vector_bytes = 16;
  h.float_peak_flops_per_second = 8e9;
  h.double_peak_flops_per_second = 4e9;
  h.extended_flops_per_second = 1e8;
  h.gemm_peak_share = 0.5;
  h.elementwise_peak_share = 0.25;
  h.elementwise_bandwidth_share = 0.5;
  h.rearrangement_bandwidth_share = 0.1;
  h.call_seconds = 1e-6;
  h.line_seconds = 1e-8;
  h.thread_start_seconds = 1e-5;
  h.l1 = {1e3, 1e10, 4e10, 4e9, 2e9};
  h.l2 = {1e4, 5e9, 2e10, 2e9, 1e9};
  h.l3 = {1e6, 2e9, 6e9, 1e9, 5e8};
  h.memory = {1e9, 1e9, 2e9, 5e8, 2.5e8};
  return h;
}

}  // namespace papilio::test
