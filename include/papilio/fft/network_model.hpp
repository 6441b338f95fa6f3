#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/fft/distribution.hpp"

// Formulas predict what a transform of an array among processes takes; they need no MPI.
namespace papilio::mpi {

/// Network of equal nodes, and their cores, one rank each. The defaults are those of IDRIS's Jean Zay
/// (2 x Xeon 6248 and Omni-Path of 100 Gb/s a node): link from its data sheet, compute and copy rates
/// from one published profile, contention fitted to every second of 19 published runs.
struct network_model {
  double latency_seconds = 1e-6;          ///< of a message
  double link_bytes_per_second = 12.5e9;  ///< of a node, one way
  /// The rate of an exchange among n nodes is that of the link times n^-contention.
  double contention = 0.37;
  int ranks_a_node = 40;
  double copy_bytes_per_second = 4.5e9;  ///< of a core: bytes read and bytes written
  double fft_flops_per_second = 6.1e9;   ///< of a core, of 5 n log2 n
  std::string source = "Jean Zay";

  bool operator==(const network_model&) const = default;
};

/// Reads a network from a JSON file: any of the fields by their names; the others are the defaults.
/// Throws io_error with the path for a file that cannot be read, and for a field that is unknown or
/// out of bounds, naming it.
PAPILIO_API network_model load_network(const std::filesystem::path& path);

/// Predicted seconds of one transform, and memory.
struct network_estimate {
  double compute_seconds = 0;
  double packing_seconds = 0;   ///< copies to messages and from them
  double exchange_seconds = 0;  ///< messages
  double rank_bytes = 0;        ///< a rank's input, output and buffers
  double seconds() const { return compute_seconds + packing_seconds + exchange_seconds; }
};

/// Predicts the transform of a design over complex elements of `element_bytes`; is_real: the last
/// axis has the bins of a real transform, and counts as one. With the largest boxes,
///   T = compute + sum over exchanges of 4 V / copy + (g - 1) latency
///       + q V c / (link n^-contention) + (1 - q) 2 V / copy,
/// V bytes of a rank, g ranks in a group on n nodes, q the share of what leaves the node, c ranks a
/// node. The median error over the 19 published runs is 9 %, the largest 37 % (`docs/mpi.md`); with
/// latency and contention 0 the exchange is a lower bound.
/// Throws invalid_argument for a model out of its bounds, naming the field.
PAPILIO_API network_estimate estimate(const network_model& network, const fft_design& design,
                                      bool is_real, std::size_t element_bytes);

/// Returns the grid of `ranks` processes for which the model predicts the least time, and of equal
/// ones that which cuts the first axes. `extents` are those of the spectrum.
/// Throws as best_grid and estimate.
PAPILIO_API std::vector<int> best_grid(const std::vector<std::size_t>& extents, int ranks,
                                       order output, const network_model& network, bool is_real,
                                       std::size_t element_bytes);

/// Returns the number of ranks, among 1, 2, 4 ... 2^20, of the least predicted time: beyond it, more
/// ranks do not pay.
/// Throws as best_grid.
PAPILIO_API int ranks_that_pay(const std::vector<std::size_t>& extents, order output,
                               const network_model& network, bool is_real,
                               std::size_t element_bytes);

}  // namespace papilio::mpi
