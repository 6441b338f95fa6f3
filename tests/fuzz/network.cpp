// Contraction networks of JSON, and the searches for their orders.
#include <cmath>

#include "cli/path.hpp"
#include "fuzz/input.hpp"
#include "papilio/base.hpp"
#include "papilio/contract.hpp"

using namespace papilio;

namespace {

// Beyond these a search may take seconds, as it says.
constexpr std::size_t most_operands = 66, most_optimal_operands = 10, most_labels = 300;

void search(const contraction_network& network, const path_options& options) {
  contraction_path found;
  try {
    found = find_path(network, options);
  } catch (const invalid_argument&) {
    return;  // too much for an optimal search
  } catch (const resource_error&) {
    return;  // the limit cannot be kept
  }
  test::require(found.pairs.size() + 1 == network.inputs.size(), "an order joins all operands");
  const contraction_path again = path_of(network, found.pairs, found.sliced);
  test::require(again.flops == found.flops ||
                    std::abs(again.flops - found.flops) <= 1e-9 * std::abs(found.flops),
                "an order costs what path_of says");
  if (options.largest_intermediate > 0)
    test::require(again.largest <= static_cast<double>(options.largest_intermediate),
                  "no intermediate is above the limit");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<cli::named_network> networks;
  try {
    networks = cli::read_networks(test::write_input("network.json", test::text_of(data, size)));
  } catch (const io_error&) {
    return 0;
  }
  for (const auto& [name, network, best] : networks) {
    if (network.inputs.size() > most_operands || network.sizes.size() > most_labels) continue;
    for (const path_search way : {path_search::automatic, path_search::optimal, path_search::greedy,
                                  path_search::random_greedy}) {
      if (way == path_search::optimal && network.inputs.size() > most_optimal_operands) continue;
      for (const std::size_t limit : {0, 64})
        search(network, {.search = way, .seconds = 0.002, .largest_intermediate = limit});
    }
  }
  return 0;
}
