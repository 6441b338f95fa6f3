#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>

#include "cli/common.hpp"
#include "cli/json_value.hpp"
#include "cli/network_file.hpp"
#include "cli/validators.hpp"
#include "papilio/base/error.hpp"
#include "papilio/contract/path.hpp"

namespace papilio::cli {
namespace path_verb {
namespace {

struct arguments {
  std::string file, name, search = "auto";
  double seconds = 2;
  std::uint64_t seed = 0;
  std::size_t memory_limit = 0;
  bool json = false;
};

struct found_row {
  const named_network* of;
  contraction_path path;
};

contraction_path path_for(const arguments& args, const named_network& network) {
  try {
    return find_path(network.network, {.search = path_search_of(args.search),
                                       .seconds = args.seconds,
                                       .seed = args.seed,
                                       .largest_intermediate = args.memory_limit});
  } catch (const error& e) {
    throw io_error(args.file, fmt::format("network \"{}\": {}", printable(network.name), e.what()));
  }
}

std::vector<found_row> find_all(const arguments& args, const std::vector<named_network>& networks) {
  std::vector<found_row> rows;
  for (const named_network& network : networks)
    if (args.name.empty() || network.name == args.name)
      rows.push_back({&network, path_for(args, network)});
  if (rows.empty() && !args.name.empty())
    throw usage_error(fmt::format("--name: {} has no network \"{}\"", args.file, args.name));
  return rows;
}

std::string amount(double value) {
  return value < 1e6 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string table_text(const std::vector<found_row>& rows) {
  std::vector<std::vector<std::string>> cells{{"network", "operands", "labels", "flops", "largest",
                                               "slices", "seconds", "search", "of best"}};
  for (const auto& [of, path] : rows)
    cells.push_back({printable(of->name), std::to_string(of->network.inputs.size()),
                     std::to_string(of->network.sizes.size()), amount(path.flops),
                     amount(path.largest), amount(path.slices), fmt::format("{:.4f}", path.seconds),
                     to_string(path.search),
                     of->best_flops ? fmt::format("{:.4f}", path.flops / *of->best_flops) : "-"});
  std::vector<std::size_t> widths(cells[0].size());
  for (const auto& row : cells)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : cells) {
    text += fmt::format("{:<{}}", row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) text += fmt::format("  {:>{}}", row[i], widths[i]);
    text += "\n";
  }
  return text;
}

// Costs are whole numbers, as long as those are exact.
json_value number_json(double value) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (value <= exact && value == std::floor(value)) return static_cast<std::uint64_t>(value);
  return value;
}

json_value report_json(const std::vector<found_row>& rows) {
  json_value networks = json_value::array();
  for (const auto& [of, path] : rows) {
    json_value sliced = json_value::array();
    for (const int label : path.sliced)
      sliced.push_back(of->network.names[static_cast<std::size_t>(label)]);
    networks.push_back({{"name", of->name},
                        {"path", path.pairs},
                        {"flops", number_json(path.flops)},
                        {"largest", number_json(path.largest)},
                        {"seconds", path.seconds},
                        {"macs", number_json(path.macs)},
                        {"slices", number_json(path.slices)},
                        {"sliced", sliced},
                        {"search", to_string(path.search)}});
  }
  return {{"networks", networks}};
}

int run(const arguments& args) {
  const std::vector<named_network> networks = read_networks(args.file);
  const std::vector<found_row> rows = find_all(args, networks);
  if (args.json)
    print(json_text(report_json(rows), member_order::as_added));
  else
    print(table_text(rows));
  return exit_done;
}

}  // namespace
}  // namespace path_verb

void add_path(program& app) {
  using namespace path_verb;
  auto args = std::make_shared<arguments>();
  command& verb = app.add_command(
      "path", "Find orders in which to contract networks of tensors, and their costs");
  verb.add_option("FILE", args->file, "JSON file of networks").required().check(not_empty());
  verb.add_option("--name", args->name, "Only the networks of this name").check(not_empty());
  verb.add_option("--search", args->search, "auto, optimal, greedy or random_greedy")
      .check(exactly_one_of({"auto", "optimal", "greedy", "random_greedy"}))
      .show_default();
  verb.add_option("--seconds", args->seconds, "Most that a random search takes, for each network")
      .check(number_from(1e-3, 1e6))
      .show_default();
  verb.add_option("--memory-limit", args->memory_limit,
                  "Most elements of an intermediate; labels are sliced until it holds")
      .check(whole_number_from(1, std::numeric_limits<std::int64_t>::max()));
  verb.add_option("--seed", args->seed, "Of a random search")
      .check(whole_number_from(0, std::numeric_limits<std::uint64_t>::max()))
      .show_default();
  verb.add_flag("--json", args->json, "Print JSON, with the orders");
  verb.footer(
      "FILE has a list \"networks\", or is one: an object with \"inputs\" (a list of labels for "
      "each\n"
      "operand), \"output\" (a list of labels), \"sizes\" (by label), and maybe \"name\" and\n"
      "\"best_flops\", beside which the result is then set. An order is a list of pairs of "
      "positions:\n"
      "both are taken out of the list of operands, and their product is appended. A step takes as\n"
      "many multiplications as the sizes of its labels have product, and twice the flops if it "
      "sums.");
  verb.example("papilio path network.json --search greedy", "an order and its cost");
  verb.run([args] { return run(*args); });
}

}  // namespace papilio::cli
