#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "cli/common.hpp"
#include "cli/network_file.hpp"
#include "cli/report.hpp"
#include "cli/validators.hpp"
#include "papilio/base/error.hpp"
#include "papilio/contract/path.hpp"

namespace papilio::cli {
namespace path_verb {
namespace {

struct arguments {
  std::string file, name, search = "auto";
  double seconds = 2;
  std::size_t seed = 0;
  std::optional<std::size_t> memory_limit;
};

contraction_path path_for(const arguments& args, const named_network& network) {
  try {
    return find_path(network.network, {.search = path_search_of(args.search),
                                       .seconds = args.seconds,
                                       .seed = args.seed,
                                       .largest_intermediate = args.memory_limit.value_or(0)});
  } catch (const error& e) {
    throw bad_file(args.file, "network \"{}\": {}", printable(network.name), e.what());
  }
}

std::string amount(double value) {
  return value < 1e6 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

// Costs are whole numbers, as long as those are exact.
json_value number_json(double value) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (value <= exact && value == std::floor(value)) return static_cast<std::uint64_t>(value);
  return value;
}

void add_row(table_rows& rows, const named_network& of, const contraction_path& path) {
  json_value sliced = json_value::array();
  for (const int label : path.sliced)
    sliced.push_back(of.network.names[static_cast<std::size_t>(label)]);
  rows.add(of.name, path.pairs, of.network.inputs.size(), of.network.sizes.size(),
           amount(path.flops), number_json(path.flops), amount(path.largest),
           number_json(path.largest), amount(path.slices), path.seconds, number_json(path.macs),
           number_json(path.slices), sliced, to_string(path.search),
           of.best_flops ? fmt::format("{:.4f}", path.flops / *of.best_flops) : "-");
}

report found_orders(const arguments& args) {
  table_rows rows;
  for (const named_network& network : read_networks(args.file))
    if (args.name.empty() || network.name == args.name)
      add_row(rows, network, path_for(args, network));
  if (rows.empty() && !args.name.empty())
    throw usage_error("--name: {} has no network \"{}\"", args.file, args.name);
  return report().table("networks", "",
                        {{"name", "{}", "network"},
                         {"path", ""},
                         {"", "  {}", "operands"},
                         {"", "  {}", "labels"},
                         {"", "  {}", "flops"},
                         {"flops", ""},
                         {"", "  {}", "largest"},
                         {"largest", ""},
                         {"", "  {}", "slices"},
                         {"seconds", "  {:.4f}", "seconds"},
                         {"macs", ""},
                         {"slices", ""},
                         {"sliced", ""},
                         {"search", "  {}", "search"},
                         {"", "  {}", "of best"}},
                        rows);
}

}  // namespace
}  // namespace path_verb

void add_path(program& app) {
  using namespace path_verb;
  auto args = std::make_shared<arguments>();
  command& verb = app.add_command(
      "path", "Find orders in which to contract networks of tensors, and their costs");
  verb.add({{"FILE", args->file, "JSON file of networks", not_empty(), flag_trait::required},
            {"--name", args->name, "Only the networks of this name", not_empty()},
            {"--search", args->search, "auto, optimal, greedy or random_greedy",
             exactly_one_of({"auto", "optimal", "greedy", "random_greedy"})},
            {"--seconds", args->seconds,
             "Time limit of a random search for each network, in seconds", number_from(1e-3, 1e6)},
            {"--memory-limit", args->memory_limit,
             "Largest intermediate, in elements; labels are sliced until all fit",
             whole_number_from(1, std::numeric_limits<std::int64_t>::max())},
            {"--seed", args->seed, "Seed of a random search",
             whole_number_from(0, std::numeric_limits<std::uint64_t>::max())}});
  verb.footer(
      R"(FILE holds one network or a list "networks". A network is an object with "inputs" (a list of
labels for each operand), "output" (a list of labels), "sizes" (extent of each label), and, if
wanted, "name" and "best_flops", with which the result is compared. An order is a list of pairs
of positions: both operands are taken out of the list, and their product is appended. A step
takes the product of its labels' sizes in multiplications, and twice that in flops if it sums.)");
  verb.example("papilio path network.json --search greedy", "an order and its cost");
  verb.reports([args](reporter& out) { out.print(found_orders(*args)); });
}

}  // namespace papilio::cli
