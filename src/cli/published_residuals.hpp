#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/published/published_table.hpp"
#include "papilio/kernels.hpp"

namespace papilio::cli::published_verb {

/// CPU time of a host backend, on one thread, for the operation of a row, in microseconds, by its
/// name.
using host_times = std::map<std::string, double>;

/// The content of `papilio published`'s report.
struct published_report {
  std::string machine;
  std::string runtime;  ///< empty: that of each row's SDK
  kernels::published::published_host_terms terms = {};
  std::vector<kernels::published::modelled_row> rows = {};  ///< of the device
  std::vector<kernels::published::step_row> steps = {};     ///< of which the device was a part
  bool measured = false;
  std::vector<host_times> hosts = {};  ///< of each of `rows`; empty unless measured
  std::vector<kernels::published::kernel_row> kernels = {};  ///< alone, without a host
};

/// The median of the widths of kernels' ranges, over the modelled times, and how many ranges hold
/// the published time.
struct range_summary {
  double median_width = 0;
  int holding = 0;
};
range_summary ranges_of(const std::vector<kernels::published::kernel_row>& kernels);

/// Residuals of one kind of rows with one SDK and one role.
struct residual_group {
  std::string name, sdk;  ///< sdk is empty where the source has none
  kernels::published::row_role role = kernels::published::row_role::none;
  int rows = 0;
  double mean = 0, largest = 0;                            ///< of their sizes
  double mean_without_host = 0, largest_without_host = 0;  ///< without the published host terms
  std::string largest_row;
};
std::vector<residual_group> residual_groups(const published_report& report);

/// A fused MP2 row, and what of its time the model's parts leave open.
struct fused_mp2_gap {
  const kernels::published::modelled_row* row;
  double gap_us;      ///< published - modelled
  double program_us;  ///< that the program would have to take, had the rest cost what is modelled
  double serial_us;   ///< that all engines take one after the other
  double pairs;
};
std::vector<fused_mp2_gap> fused_mp2_gaps(const published_report& report,
                                          const engine::machine_spec& machine);

/// The constants of one machine, runtime or published host program, with their sources.
struct constant_group {
  std::string name;
  std::vector<engine::sourced_value> constants;
};

/// Every constant of what was modelled.
std::vector<constant_group> constants_of(const published_report& of,
                                         const engine::machine_spec& machine,
                                         const std::optional<engine::runtime_spec>& runtime);

}  // namespace papilio::cli::published_verb
