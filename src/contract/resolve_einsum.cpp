#include <algorithm>
#include <unordered_map>

#include "contract/einsum_terms.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/tensor.hpp"

namespace papilio::contract_detail {
namespace {

/// Size of a label, or of an axis that the ellipsis stands for, and where it comes from.
struct label_state {
  int label = ellipsis_label;
  std::size_t size = 1;
  std::size_t operand = 0, axis = 0;  ///< where the size was found
  std::size_t occurrences = 0;        ///< axes with the label
};

/// Numbers the labels: first the axes of the ellipsis, from the left, then the labels by their
/// first occurrence.
class resolver {
 public:
  resolver(const einsum_terms& terms, std::span<const std::vector<std::size_t>> extents)
      : terms_(terms), extents_(extents) {}

  einsum_expression expression() {
    for (std::size_t k = 0; k < extents_.size(); ++k) check_rank(k);
    states_.resize(broadcast_rank_);
    axes_.resize(extents_.size());
    for (std::size_t k = 0; k < extents_.size(); ++k) take_operand(k);
    einsum_expression result;
    result.network.output = terms_.output ? explicit_output() : implicit_output();
    check_result(result.network.output);
    finish(result);
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what, std::size_t operand, std::size_t at) const {
    throw shape_error(terms_.fault(what, operand, at));
  }

  std::size_t ellipsis_rank(std::size_t k) const {
    return extents_[k].size() - terms_.inputs[k].labels.size();
  }

  void check_rank(std::size_t k) {
    const einsum_term& term = terms_.inputs[k];
    const std::size_t rank = extents_[k].size(), labels = term.labels.size();
    if (rank < labels)
      fail(base_detail::message("operand ", k, " has ", rank, rank == 1 ? " axis" : " axes",
                                " and ", labels, labels == 1 ? " label" : " labels"),
           k, term.labels[rank].at);
    if (rank > labels && !term.ellipsis)
      fail(base_detail::message("operand ", k, " has ", rank, rank == 1 ? " axis" : " axes",
                                ", more than labels, and no \"...\" for the others"),
           k, term.end);
    if (rank > max_tensor_rank)
      throw shape_error(base_detail::message("einsum: operand ", k, " has ", rank,
                                             " axes, at most ", max_tensor_rank));
    broadcast_rank_ = std::max(broadcast_rank_, rank - labels);
  }

  std::size_t state_of(int label) {
    const auto [found, is_new] = known_.try_emplace(label, states_.size());
    if (is_new) states_.push_back({.label = label});
    return found->second;
  }

  void take_operand(std::size_t k) {
    const einsum_term& term = terms_.inputs[k];
    const std::size_t before = term.ellipsis.value_or(term.labels.size());
    const std::size_t dots = ellipsis_rank(k);
    axes_[k].reserve(extents_[k].size());
    for (std::size_t axis = 0; axis < before; ++axis) take_label(k, axis, term.labels[axis]);
    for (std::size_t i = 0; i < dots; ++i) {
      const std::size_t at = broadcast_rank_ - dots + i;
      merge(at, k, before + i, term.ellipsis_at);
      axes_[k].push_back(static_cast<int>(at));
    }
    for (std::size_t l = before; l < term.labels.size(); ++l)
      take_label(k, l + dots, term.labels[l]);
  }

  void take_label(std::size_t k, std::size_t axis, const placed_label& placed) {
    const std::size_t at = state_of(placed.label);
    const int id = static_cast<int>(at);
    const auto first = std::ranges::find(axes_[k], id);
    if (first != axes_[k].end()) {
      const std::size_t one = extents_[k][static_cast<std::size_t>(first - axes_[k].begin())];
      if (one != extents_[k][axis])
        fail(base_detail::message("label ", terms_.name(placed.label), " has extents ", one,
                                  " and ", extents_[k][axis], " in operand ", k,
                                  ", its diagonal needs equal ones"),
             k, placed.at);
      ++states_[at].occurrences;
    } else {
      merge(at, k, axis, placed.at);
    }
    axes_[k].push_back(id);
  }

  void merge(std::size_t at, std::size_t k, std::size_t axis, std::size_t place) {
    label_state& state = states_[at];
    const std::size_t extent = extents_[k][axis];
    if (state.occurrences++ == 0 || (state.size == 1 && extent != 1)) {
      state.size = extent;
      state.operand = k;
      state.axis = axis;
      return;
    }
    if (extent == state.size || extent == 1) return;
    if (state.label == ellipsis_label)
      fail(base_detail::message("\"...\" is of extent ", state.size, " on axis ", state.axis,
                                " of operand ", state.operand, ", and of ", extent, " on axis ",
                                axis, " of operand ", k),
           k, place);
    fail(base_detail::message("label ", terms_.name(state.label), " has extent ", state.size,
                              " in operand ", state.operand, ", and ", extent, " in operand ", k),
         k, place);
  }

  std::vector<int> explicit_output() {
    const einsum_term& term = *terms_.output;
    if (broadcast_rank_ > 0 && !term.ellipsis)
      fail(base_detail::message("the result has no \"...\" for the ", broadcast_rank_,
                                broadcast_rank_ == 1 ? " axis" : " axes",
                                " that it stands for in the operands"),
           terms_.inputs.size(), term.end);
    std::vector<int> output;
    for (const placed_label& l : term.labels) output.push_back(static_cast<int>(known_[l.label]));
    std::vector<int> dots(broadcast_rank_);
    for (std::size_t i = 0; i < dots.size(); ++i) dots[i] = static_cast<int>(i);
    output.insert(output.begin() + static_cast<std::ptrdiff_t>(term.ellipsis.value_or(0)),
                  dots.begin(), dots.end());
    return output;
  }

  std::vector<int> implicit_output() const {
    std::vector<int> output;
    for (std::size_t at = 0; at < states_.size(); ++at)
      if (at < broadcast_rank_ || states_[at].occurrences == 1)
        output.push_back(static_cast<int>(at));
    std::ranges::sort(output.begin() + static_cast<std::ptrdiff_t>(broadcast_rank_), output.end(),
                      {}, [&](int at) { return states_[static_cast<std::size_t>(at)].label; });
    return output;
  }

  void check_result(const std::vector<int>& output) const {
    if (output.size() > max_tensor_rank)
      throw shape_error(base_detail::message("einsum: the result would have ", output.size(),
                                             " axes, at most ", max_tensor_rank));
    std::size_t size = 1;
    for (const int at : output)
      if (states_[static_cast<std::size_t>(at)].size == 0) return;
    for (const int at : output)
      size = checked_multiply(size, states_[static_cast<std::size_t>(at)].size,
                              "einsum: size of the result");
  }

  void finish(einsum_expression& result) {
    contraction_network& network = result.network;
    for (std::size_t at = 0; at < states_.size(); ++at) {
      network.sizes.push_back(states_[at].size);
      network.names.push_back(at < broadcast_rank_ ? base_detail::message("...", at)
                              : terms_.text        ? letter_of(states_[at].label)
                                                   : std::to_string(states_[at].label));
    }
    network.inputs.resize(axes_.size());
    for (std::size_t k = 0; k < axes_.size(); ++k)
      for (std::size_t axis = 0; axis < axes_[k].size(); ++axis) {
        int& at = axes_[k][axis];
        if (extents_[k][axis] == network.sizes[static_cast<std::size_t>(at)])
          network.inputs[k].push_back(at);
        else
          at = -1;
      }
    result.axes = std::move(axes_);
  }

  const einsum_terms& terms_;
  std::span<const std::vector<std::size_t>> extents_;
  std::size_t broadcast_rank_ = 0;
  std::vector<label_state> states_;
  std::unordered_map<int, std::size_t> known_;
  std::vector<std::vector<int>> axes_;
};

}  // namespace

einsum_expression resolve(const einsum_terms& terms,
                          std::span<const std::vector<std::size_t>> extents) {
  return resolver(terms, extents).expression();
}

}  // namespace papilio::contract_detail
