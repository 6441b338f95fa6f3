#include "papilio/fft/network_model.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <set>
#include <type_traits>

#include "base/spec_check.hpp"
#include "base/spec_json.hpp"
#include "base/text_file.hpp"
#include "fft/distributed_design.hpp"
#include "papilio/base/error.hpp"

namespace papilio::mpi {

namespace spec = base_detail;

template <class Fields, class Visitor>
  requires std::same_as<std::remove_const_t<Fields>, network_model>
void visit_fields(Fields& s, Visitor&& visit) {
  constexpr spec::bounds rate{1e3, 1e18};
  visit("latency_seconds", s.latency_seconds, spec::bounds{0, 1});
  visit("link_bytes_per_second", s.link_bytes_per_second, rate);
  visit("contention", s.contention, spec::bounds{0, 2});
  visit("ranks_a_node", s.ranks_a_node, spec::bounds{1, 1e6});
  visit("copy_bytes_per_second", s.copy_bytes_per_second, rate);
  visit("fft_flops_per_second", s.fft_flops_per_second, rate);
}

namespace {

double largest(const distribution& cut) { return static_cast<double>(cut.box_of(0).size()); }

struct exchange_group {
  double ranks = 0, on_first_node = 0;
};

// Ranks that exchange elements with rank 0, directly or by others. So many that nearly all of what
// they send leaves a node are taken for all ranks.
exchange_group group_of_first(const distribution& from, const distribution& to, int ranks_a_node) {
  constexpr std::size_t many = 1024;
  std::set<int> group{0};
  std::vector<int> left{0};
  while (!left.empty()) {
    if (group.size() > many)
      return {static_cast<double>(from.ranks()),
              static_cast<double>(std::min(ranks_a_node, from.ranks()))};
    const int rank = left.back();
    left.pop_back();
    for (const auto& [own, others] : {std::pair(&from, &to), std::pair(&to, &from)}) {
      const box part = own->box_of(rank);
      if (part.empty()) continue;
      for (const int other : others->owners_of(part)) {
        if (group.size() > many) break;
        if (group.insert(other).second) left.push_back(other);
      }
    }
  }
  return {static_cast<double>(group.size()),
          static_cast<double>(
              std::ranges::count_if(group, [&](int rank) { return rank < ranks_a_node; }))};
}

double exchange_seconds(const network_model& network, const distribution& from,
                        const distribution& to, double bytes) {
  const auto [ranks, here] = group_of_first(from, to, network.ranks_a_node);
  const double nodes = ranks / here, leaving = (ranks - here) / ranks;
  const double sharing = std::min(network.ranks_a_node, from.ranks());
  return (ranks - 1) * network.latency_seconds +
         leaving * bytes * sharing * std::pow(nodes, network.contention) /
             network.link_bytes_per_second +
         (1 - leaving) * 2 * bytes / network.copy_bytes_per_second;
}

double flops_of(const fft_design& design, bool is_real) {
  double flops = 0, elements = 1;
  for (const std::size_t extent : design.input.extents()) elements *= static_cast<double>(extent);
  for (std::size_t axis = 0; axis < design.input.extents().size(); ++axis) {
    const auto bins = static_cast<double>(design.input.extents()[axis]);
    const bool halved = is_real && axis + 1 == design.input.extents().size();
    // Lines of n reals, of n / 2 + 1 bins, take half of n complex elements.
    const double n = halved ? 2 * (bins - 1) : bins;
    if (n > 1) flops += (halved ? 2.5 * n / bins : 5) * elements * std::log2(n);
  }
  return flops;
}

}  // namespace

network_model load_network(const std::filesystem::path& path) {
  const std::string origin = path.string();
  const std::string text = spec::read_text_file(path, spec::max_spec_bytes, "JSON");
  const nlohmann::json object = spec::parse_object(text, origin);
  network_model network;
  spec::field_reader reader(object, origin);
  visit_fields(network, reader);
  reader.refuse_unknown();
  const std::string name = path.filename().string();
  network.source = spec::is_name(name) ? name : "a file";
  return network;
}

network_estimate estimate(const network_model& network, const fft_design& design, bool is_real,
                          std::size_t element_bytes) {
  visit_fields(network, spec::field_checker([](const std::string& fault) {
                 throw invalid_argument("network_model: " + fault);
               }));
  const double ranks = design.input.ranks();
  double elements = 1;
  for (const std::size_t extent : design.input.extents()) elements *= static_cast<double>(extent);
  network_estimate found;
  double most = largest(design.input);
  const distribution* cut = &design.input;
  for (const fft_design::step& s : design.steps) {
    most = std::max(most, largest(s.next));
    if (s.next != *cut) {
      const double bytes =
          std::max(largest(*cut), largest(s.next)) * static_cast<double>(element_bytes);
      found.packing_seconds += 4 * bytes / network.copy_bytes_per_second;
      found.exchange_seconds += exchange_seconds(network, *cut, s.next, bytes);
    }
    cut = &s.next;
  }
  // All ranks wait for the one with the largest box.
  const double share = most / elements * ranks;
  found.compute_seconds = share * flops_of(design, is_real) / ranks / network.fft_flops_per_second;
  const double buffers = ranks > 1 ? 2 : 0;
  found.rank_bytes = (largest(design.input) + largest(design.output()) + buffers * most) *
                     static_cast<double>(element_bytes);
  return found;
}

std::vector<int> best_grid(const std::vector<std::size_t>& extents, int ranks, order output,
                           const network_model& network, bool is_real, std::size_t element_bytes) {
  return least_grid(extents, ranks, output, 1, [&](const fft_design& design) {
    return estimate(network, design, is_real, element_bytes).seconds();
  });
}

int ranks_of_least_time(int most, function_ref<double(int)> seconds_on) {
  int best = 1;
  double least = 0;
  for (int ranks = 1; ranks <= most; ranks *= 2) {
    const double seconds = seconds_on(ranks);
    if (ranks == 1 || seconds < least) {
      best = ranks;
      least = seconds;
    }
    // The first exchange may cost more than a second rank saves; beyond the best, times only rise.
    if (seconds > 2 * least) break;
  }
  return best;
}

int ranks_that_pay(const std::vector<std::size_t>& extents, order output,
                   const network_model& network, bool is_real, std::size_t element_bytes) {
  return ranks_of_least_time(1 << 20, [&](int ranks) {
    const distribution input(extents,
                             best_grid(extents, ranks, output, network, is_real, element_bytes));
    return estimate(network, design_forward(input, output), is_real, element_bytes).seconds();
  });
}

}  // namespace papilio::mpi
