// Gradients of a contraction y = sum x_0 x_1 ... by its operands: with g = dL/dy,
//   dL/dx_i = sum over the labels that x_i lacks of g conj(x_0) ... conj(x_k), without x_i,
// a contraction too, of the labels of x_i. Along the tree of the forward plan, the gradient of a
// node is that of its parent times the value of its sibling, so that all of them are the forward
// steps and two more for each, if equal steps are run once.
#include <algorithm>
#include <complex>
#include <numeric>
#include <utility>

#include "contract/lowered_plan.hpp"
#include "contract/ordered_contraction.hpp"
#include "contract/planner.hpp"
#include "papilio/base/error.hpp"
#include "papilio/contract/einsum.hpp"

namespace papilio {
namespace contract_detail {
namespace {

using base_detail::message;
constexpr const char* function = "contraction_plan::vjp";

// The forward plan's pairs as a tree: leaves 0 ... operands - 1, then the steps in their order.
class step_tree {
 public:
  explicit step_tree(std::size_t operands, const std::vector<std::array<std::size_t, 2>>& pairs)
      : leaves_(operands), parents_(operands + pairs.size()) {
    std::vector<std::size_t> there(operands);
    std::iota(there.begin(), there.end(), std::size_t{0});
    for (const auto& [a, b] : pairs) {
      children_.push_back({there[a], there[b]});
      parents_[there[a]] = parents_[there[b]] = leaves_ + children_.size() - 1;
      there.erase(there.begin() + static_cast<std::ptrdiff_t>(std::max(a, b)));
      there.erase(there.begin() + static_cast<std::ptrdiff_t>(std::min(a, b)));
      there.push_back(leaves_ + children_.size() - 1);
    }
  }

  // The pairs of the gradient by a leaf, of the operands {gradient, other leaves}.
  std::vector<std::array<std::size_t, 2>> pairs_of_gradient(std::size_t leaf) const {
    pair_list list;
    for (std::size_t other = 0; other < leaves_; ++other)
      if (other != leaf) list.there.push_back(other);
    std::vector<std::size_t> way;  // from the leaf up
    for (std::size_t node = leaf; node + 1 < parents_.size(); node = parents_[node])
      way.push_back(node);
    for (auto node = way.rbegin(); node != way.rend(); ++node) {
      const auto& [left, right] = children_[parents_[*node] - leaves_];
      const std::size_t sibling = left == *node ? right : left;
      add_value(sibling, list);
      list.contract(gradient_node, sibling, gradient_node);
    }
    return std::move(list.pairs);
  }

 private:
  static constexpr std::size_t gradient_node = static_cast<std::size_t>(-1);

  struct pair_list {
    std::vector<std::size_t> there = {gradient_node};
    std::vector<std::array<std::size_t, 2>> pairs = {};

    void contract(std::size_t left, std::size_t right, std::size_t result) {
      const auto at = [&](std::size_t node) { return std::ranges::find(there, node); };
      pairs.push_back({static_cast<std::size_t>(at(left) - there.begin()),
                       static_cast<std::size_t>(at(right) - there.begin())});
      there.erase(at(left));
      there.erase(at(right));
      there.push_back(result);
    }
  };

  void add_value(std::size_t node, pair_list& list) const {
    if (node < leaves_) return;
    const auto& [left, right] = children_[node - leaves_];
    add_value(left, list);
    add_value(right, list);
    list.contract(left, right, node);
  }

  std::size_t leaves_;
  std::vector<std::size_t> parents_;
  std::vector<std::array<std::size_t, 2>> children_;
};

// Contraction of one gradient, and its order.
struct gradient_design {
  std::vector<std::size_t> others;       // operands, after the gradient
  std::vector<std::vector<int>> labels;  // of what is contracted
  std::vector<int> result;
  std::vector<std::size_t> repeated;  // extents of the ones, empty: none are needed
  std::vector<bool> conjugate;
  std::vector<std::array<std::size_t, 2>> pairs;
};

bool holds(const std::vector<int>& labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

gradient_design design_of(const plan_problem& problem, const step_tree& tree, std::size_t of) {
  const contraction_network& network = problem.expression.network;
  const auto conjugates = [&](std::size_t i) {
    return i < problem.conjugate.size() && problem.conjugate[i];
  };
  gradient_design d{.others = {},
                    .labels = {network.output},
                    .result = {},
                    .repeated = {},
                    .conjugate = {conjugates(of)},
                    .pairs = tree.pairs_of_gradient(of)};
  std::vector<int> elsewhere = network.output, alone;
  for (std::size_t i = 0; i < network.inputs.size(); ++i) {
    if (i == of) continue;
    d.others.push_back(i);
    d.labels.push_back(network.inputs[i]);
    d.conjugate.push_back(conjugates(i) == conjugates(of));
    elsewhere.insert(elsewhere.end(), network.inputs[i].begin(), network.inputs[i].end());
  }
  for (const int label : network.inputs[of]) {
    if (holds(d.result, label)) continue;
    d.result.push_back(label);
    if (!holds(elsewhere, label)) alone.push_back(label);
  }
  if (alone.empty()) return d;
  for (const int label : alone)
    d.repeated.push_back(network.sizes[static_cast<std::size_t>(label)]);
  // The one operand beside the product of all others, which is first if it is the gradient alone.
  d.pairs.push_back({d.others.empty() ? std::size_t{0} : std::size_t{1},
                     d.others.empty() ? std::size_t{1} : std::size_t{0}});
  d.labels.push_back(std::move(alone));
  return d;
}

step_tree tree_of(const lowered_plan& plan) {
  if (!plan.path().sliced.empty())
    throw invalid_argument(message(function, ": a plan that is sliced has no gradient plans; ",
                                   plan.path().sliced.size(), " of its labels are"));
  return step_tree(plan.problem().extents.size(), plan.path().pairs);
}

std::vector<gradient_design> designs_of(const lowered_plan& plan) {
  const step_tree tree = tree_of(plan);
  std::vector<gradient_design> designs;
  for (std::size_t i = 0; i < plan.problem().extents.size(); ++i)
    designs.push_back(design_of(plan.problem(), tree, i));
  return designs;
}

// An operand without the axes that are broadcast, as the network has it.
template <class T>
tensor_view<const T> without_broadcasts(const tensor_view<const T>& x,
                                        const std::vector<int>& axes) {
  std::vector<std::size_t> extents;
  std::vector<std::ptrdiff_t> strides;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis] < 0) continue;
    extents.push_back(x.extent(axis));
    strides.push_back(x.stride(axis));
  }
  return {x.data(), extents, strides};
}

template <class T>
tensor_view<const T> ones(const std::vector<std::size_t>& extents) {
  static constexpr T one = 1;
  return {&one, extents, std::vector<std::ptrdiff_t>(extents.size(), 0)};
}

template <class T>
host_contraction<T> contraction_of(const lowered_plan& plan, const gradient_design& d,
                                   const tensor_view<const T>& gradient,
                                   std::span<const tensor_view<const T>> operands) {
  host_contraction<T> c{.subscripts = {},
                        .operands = {gradient},
                        .conjugate = d.conjugate,
                        .labels = d.labels,
                        .pairs = d.pairs};
  c.labels.push_back(d.result);
  for (const std::size_t i : d.others)
    c.operands.push_back(without_broadcasts(operands[i], plan.problem().expression.axes[i]));
  if (!d.repeated.empty()) c.operands.push_back(ones<T>(d.repeated));
  return c;
}

// The values of distinct labels to the axes of an operand: its diagonal, where one repeats.
template <class T>
tensor<T> to_axes(const tensor<T>& values, const std::vector<int>& axes,
                  const std::vector<int>& labels, const std::vector<std::size_t>& extents) {
  tensor<T> result(extents);
  const tensor_view<T> all = result;
  std::vector<std::ptrdiff_t> steps(labels.size());
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (axes[axis] >= 0)
      steps[static_cast<std::size_t>(std::ranges::find(labels, axes[axis]) - labels.begin())] +=
          all.stride(axis);
  const auto copy = [&](auto& self, std::size_t axis, T* to, const T*& from) -> void {
    if (axis == labels.size()) {
      *to = *from++;
      return;
    }
    for (std::size_t i = 0; i < values.extent(axis); ++i)
      self(self, axis + 1, to + static_cast<std::ptrdiff_t>(i) * steps[axis], from);
  };
  const T* from = values.data();
  if (!values.empty()) copy(copy, 0, result.data(), from);
  return result;
}

template <class T>
contraction_plan gradient_plan(const lowered_plan& plan, const gradient_design& d) {
  std::vector<tensor_view<const T>> operands;
  for (const std::vector<std::size_t>& extents : plan.problem().extents)
    operands.emplace_back(static_cast<const T*>(nullptr), extents);
  const tensor_view<const T> gradient(nullptr, plan.out_extents());
  const host_contraction<T> c = contraction_of<T>(plan, d, gradient, operands);
  return contract_detail::plan<T>(
      function, einsum_labels{d.labels, d.result}, c.operands,
      {.conjugate = c.conjugate, .pairs = c.planned_pairs(), .on = plan.on()});
}

template <class Extents>
void require_operands(const lowered_plan& plan, element_type type, std::size_t count,
                      const Extents& extents_of) {
  const plan_problem& problem = plan.problem();
  if (problem.type != type)
    throw invalid_argument(message(function, ": the plan is of ", to_string(problem.type),
                                   ", the operands are ", to_string(type)));
  if (count != problem.extents.size())
    throw shape_error(
        message(function, ": the plan has ", problem.extents.size(), " operands, got ", count));
  for (std::size_t i = 0; i < count; ++i)
    if (!std::ranges::equal(extents_of(i), problem.extents[i]))
      throw shape_error(message(function, ": the extents of operand ", i,
                                " are not those that were planned for"));
}

}  // namespace
}  // namespace contract_detail

using namespace contract_detail;

std::vector<contraction_plan> contraction_plan::gradients() const {
  std::vector<contraction_plan> plans;
  for (const gradient_design& d : designs_of(*plan_)) {
    switch (plan_->problem().type) {
      case element_type::float32:
        plans.push_back(gradient_plan<float>(*plan_, d));
        break;
      case element_type::float64:
        plans.push_back(gradient_plan<double>(*plan_, d));
        break;
      case element_type::complex64:
        plans.push_back(gradient_plan<std::complex<float>>(*plan_, d));
        break;
      case element_type::complex128:
        plans.push_back(gradient_plan<std::complex<double>>(*plan_, d));
        break;
    }
  }
  return plans;
}

template <class T>
std::vector<tensor<T>> contraction_plan::vjp(const tensor_view<const T>& gradient,
                                             std::span<const tensor_view<const T>> operands,
                                             contraction_sharing* sharing) const {
  const plan_problem& problem = plan_->problem();
  require_operands(*plan_, element_type_of<T>, operands.size(),
                   [&](std::size_t i) { return operands[i].extents(); });
  require_extents(function, gradient.extents(), plan_->out_extents());
  const std::vector<gradient_design> designs = designs_of(*plan_);
  std::vector<host_contraction<T>> contractions;
  for (const gradient_design& d : designs)
    contractions.push_back(contraction_of<T>(*plan_, d, gradient, operands));
  std::vector<tensor<T>> gradients = contract_ordered<T>(
      std::span<const host_contraction<T>>(contractions), {.on = plan_->on()}, sharing);
  for (std::size_t i = 0; i < gradients.size(); ++i)
    if (!std::ranges::equal(gradients[i].extents(), problem.extents[i]))
      gradients[i] =
          to_axes(gradients[i], problem.expression.axes[i], designs[i].result, problem.extents[i]);
  return gradients;
}

template <class T>
std::vector<device_ndarray<T>> contraction_plan::vjp(const device_ndarray<T>& gradient,
                                                     std::span<const device_ndarray<T>> operands,
                                                     contraction_sharing* sharing) const {
  require_operands(*plan_, element_type_of<T>, operands.size(),
                   [&](std::size_t i) { return operands[i].extents(); });
  require_extents(function, gradient.extents(), plan_->out_extents());
  std::vector<ordered_contraction<device_ndarray<T>>> contractions;
  for (const gradient_design& d : designs_of(*plan_)) {
    const std::size_t i = contractions.size();
    if (!d.repeated.empty() || plan_->problem().expression.axes[i] != d.result)
      throw invalid_argument(message(function, ": operand ", i, " repeats or broadcasts a label, ",
                                     "or alone has it, which device arrays cannot"));
    contractions.push_back({.subscripts = {},
                            .operands = {gradient},
                            .conjugate = d.conjugate,
                            .labels = d.labels,
                            .pairs = d.pairs});
    contractions.back().labels.push_back(d.result);
    for (const std::size_t other : d.others)
      contractions.back().operands.push_back(operands[other]);
  }
  return contract_ordered<T>(std::span<const ordered_contraction<device_ndarray<T>>>(contractions),
                             {.on = plan_->on()}, sharing);
}

#define PAPILIO_VJP(T)                                                                          \
  template PAPILIO_API std::vector<tensor<T>> contraction_plan::vjp(                            \
      const tensor_view<const T>&, std::span<const tensor_view<const T>>, contraction_sharing*) \
      const;
#define PAPILIO_DEVICE_VJP(T)                                                \
  template PAPILIO_API std::vector<device_ndarray<T>> contraction_plan::vjp( \
      const device_ndarray<T>&, std::span<const device_ndarray<T>>, contraction_sharing*) const;
PAPILIO_VJP(float)
PAPILIO_VJP(double)
PAPILIO_VJP(std::complex<float>)
PAPILIO_VJP(std::complex<double>)
PAPILIO_DEVICE_VJP(float)
PAPILIO_DEVICE_VJP(std::complex<float>)
#undef PAPILIO_VJP
#undef PAPILIO_DEVICE_VJP

}  // namespace papilio
