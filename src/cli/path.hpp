#pragma once

#include "cli/json_value.hpp"
#include "papilio/contract/path.hpp"

namespace papilio::cli {

/// A network of a file, its labels numbered and their names kept.
struct named_network {
  std::string name;  ///< "network N", from 1, where the file has none
  contraction_network network;
  std::optional<double> best_flops;  ///< of the best order known, where the file says
};

/// Networks of a JSON file: an object with "networks", a list, or one network itself. A network is
/// an object with "inputs" (a list of labels for each operand), "output" (a list of labels) and
/// "sizes" (an object: size by label), and "name" and "best_flops" if it likes. Labels are texts or
/// whole numbers, which are keys of "sizes" as they are written. io_error, that names network and
/// field, for any other file and for what `validate` refuses.
std::vector<named_network> read_networks(const std::string& path);

}  // namespace papilio::cli
