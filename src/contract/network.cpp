#include "papilio/contract/path.hpp"

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

/// "label 3", "label 3 (k)".
std::string shown(const contraction_network& network, int label) {
  if (network.names.empty()) return base_detail::message("label ", label);
  return base_detail::message("label ", label, " (", network.names[static_cast<std::size_t>(label)],
                              ")");
}

bool is_known(const contraction_network& network, int label) {
  return label >= 0 && static_cast<std::size_t>(label) < network.sizes.size();
}

}  // namespace

void validate(const contraction_network& network) {
  const std::size_t count = network.sizes.size();
  if (network.inputs.empty())
    throw invalid_argument("contraction_network: at least one operand is needed");
  if (!network.names.empty() && network.names.size() != count)
    throw invalid_argument(base_detail::message("contraction_network: ", count,
                                                " labels need as many names or none, got ",
                                                network.names.size()));
  std::vector<bool> is_there(count), is_in_result(count);
  for (std::size_t k = 0; k < network.inputs.size(); ++k)
    for (const int label : network.inputs[k]) {
      if (!is_known(network, label))
        throw invalid_argument(base_detail::message("contraction_network: operand ", k, ": label ",
                                                    label, " is none of the ", count,
                                                    " that have a size"));
      is_there[static_cast<std::size_t>(label)] = true;
    }
  for (const int label : network.output) {
    if (!is_known(network, label))
      throw invalid_argument(base_detail::message("contraction_network: result: label ", label,
                                                  " is none of the ", count, " that have a size"));
    if (!is_there[static_cast<std::size_t>(label)])
      throw invalid_argument(base_detail::message(
          "contraction_network: result: ", shown(network, label), " is of no operand"));
    if (is_in_result[static_cast<std::size_t>(label)])
      throw invalid_argument(base_detail::message(
          "contraction_network: result: ", shown(network, label), " is there twice"));
    is_in_result[static_cast<std::size_t>(label)] = true;
  }
}

}  // namespace papilio
