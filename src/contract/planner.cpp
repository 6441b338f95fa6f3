#include "contract/planner.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "base/lines.hpp"
#include "base/lru_cache.hpp"
#include "contract/device_path.hpp"
#include "contract/plan_signature.hpp"
#include "papilio/base/error.hpp"
#include "papilio/contract/contraction_plan.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio {
namespace contract_detail {
namespace {

using base_detail::message;
using plan_cache = base_detail::lru_cache<signature_key, plan_signature, lowered_plan,
                                          signature_hash, signature_equal>;

plan_cache& the_cache() {
  static plan_cache cache({contraction_cache_bound{}.plans, contraction_cache_bound{}.bytes});
  return cache;
}

void add(plan_signature& s, const einsum_subscripts& subscripts) {
  if (const auto* text = std::get_if<std::string_view>(&subscripts)) {
    s.add_text(*text);
    return;
  }
  const einsum_labels& labels = *std::get<const einsum_labels*>(subscripts);
  s.add(~std::uint64_t{0});  // no text has this length
  s.add(labels.inputs.size());
  for (const std::vector<int>& input : labels.inputs) s.add_all(std::span<const int>(input));
  s.add(labels.output.has_value());
  if (labels.output) s.add_all(std::span<const int>(*labels.output));
}

void add(plan_signature& s, const execution& on) {
  s.add(static_cast<std::uint64_t>(on.where));
  s.add(reinterpret_cast<std::uintptr_t>(on.on));
  s.add(static_cast<std::uint64_t>(on.threads));
  s.add_text(on.backend);
  s.add(on.precision == precision_options{} ? 0 : 1);
  if (on.precision == precision_options{}) return;
  s.add(static_cast<std::uint64_t>(on.precision.mode));
  s.add(static_cast<std::uint64_t>(on.precision.refinements));
  s.add(static_cast<std::uint64_t>(on.precision.parts));
  s.add(std::bit_cast<std::uint64_t>(on.precision.target_error));
}

void add(plan_signature& s, const einsum_options& o) {
  s.add(o.conjugate.size());
  for (bool flag : o.conjugate) s.add(flag);
  s.add(o.path == path_options{} ? 0 : 1);
  if (o.path != path_options{}) {
    s.add(static_cast<std::uint64_t>(o.path.search));
    s.add(static_cast<std::uint64_t>(o.path.cost));
    s.add(std::bit_cast<std::uint64_t>(o.path.seconds));
    s.add(o.path.seed);
    s.add(o.path.largest_intermediate);
  }
  s.add(o.pairs ? o.pairs->size() + 1 : 0);
  if (o.pairs)
    for (const auto& [first, second] : *o.pairs) {
      s.add(first);
      s.add(second);
    }
  add(s, o.on);
}

template <class T>
plan_signature signature_of(const einsum_subscripts& subscripts,
                            std::span<const tensor_view<const T>> operands,
                            const tensor_view<T>* out, const einsum_options& options) {
  plan_signature s;
  s.add(static_cast<std::uint64_t>(element_type_of<T>));
  add(s, subscripts);
  s.add(operands.size());
  for (const tensor_view<const T>& operand : operands) {
    s.add_all(operand.extents());
    s.add_all(operand.strides());
  }
  s.add(out != nullptr);
  if (out != nullptr) {
    s.add_all(out->extents());
    s.add_all(out->strides());
  }
  add(s, options);
  return s;
}

std::string text_of(std::span<const std::size_t> extents) {
  std::string result = "[";
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    result.append(axis == 0 ? "" : ", ").append(std::to_string(extents[axis]));
  return result.append("]");
}

template <class T>
void place_operands(plan_problem& problem, std::span<const tensor_view<const T>> operands,
                    const tensor_view<T>* out) {
  problem.strides.clear();
  for (const tensor_view<const T>& operand : operands)
    problem.strides.emplace_back(operand.strides().begin(), operand.strides().end());
  if (out != nullptr) {
    problem.out_strides.assign(out->strides().begin(), out->strides().end());
    return;
  }
  std::vector<std::size_t> extents;
  for (int label : problem.expression.network.output)
    extents.push_back(problem.expression.network.sizes[static_cast<std::size_t>(label)]);
  problem.out_strides = base_detail::gapless_strides(extents);
}

contraction_path order_of(const plan_problem& problem, const einsum_options& options) {
  const contraction_network& network = problem.expression.network;
  if (options.pairs) {
    contraction_path given = path_of(network, *options.pairs);
    const std::size_t limit = options.path.largest_intermediate;
    if (limit > 0 && given.largest > static_cast<double>(limit))
      throw resource_error(message("einsum: the order that is given has an intermediate of ",
                                   given.largest, " elements, the limit is ", limit));
    return given;
  }
  // One or two operands leave no choice, unless memory is short.
  static constexpr std::array<std::array<std::size_t, 2>, 1> only{{{0, 1}}};
  if (options.path.largest_intermediate == 0 && network.inputs.size() <= 2)
    return path_of(network, std::span(only).first(network.inputs.size() - 1));
  return options.path.cost == path_cost::flops ? find_path(network, options.path)
                                               : fastest_path(problem, options.path, options.on);
}

template <class T>
std::shared_ptr<const lowered_plan> made(const char* function, const einsum_subscripts& subscripts,
                                         std::span<const tensor_view<const T>> operands,
                                         const tensor_view<T>* out, const einsum_options& options) {
  if (options.conjugate.size() > operands.size())
    throw invalid_argument(message(function, ": conjugate has ", options.conjugate.size(),
                                   " flags for ", operands.size(), " operands"));
  std::vector<std::vector<std::size_t>> extents;
  for (const tensor_view<const T>& operand : operands)
    extents.emplace_back(operand.extents().begin(), operand.extents().end());
  plan_problem problem{.expression = std::visit(
                           [&](const auto& s) {
                             if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(s)>>)
                               return parse_einsum(*s, extents);
                             else
                               return parse_einsum(s, extents);
                           },
                           subscripts),
                       .type = element_type_of<T>,
                       .extents = extents,
                       .strides = {},
                       .out_strides = {},
                       .conjugate = options.conjugate};
  place_operands<T>(problem, operands, nullptr);
  if (out != nullptr) {
    const contraction_network& network = problem.expression.network;
    std::vector<std::size_t> result;
    for (int label : network.output)
      result.push_back(network.sizes[static_cast<std::size_t>(label)]);
    require_extents(function, out->extents(), result);
    place_operands(problem, operands, out);
  }
  contraction_path path = order_of(problem, options);
  return std::make_shared<const lowered_plan>(std::move(problem), std::move(path), options.on);
}

}  // namespace

void require_extents(const char* function, std::span<const std::size_t> out,
                     std::span<const std::size_t> result) {
  if (!std::ranges::equal(out, result))
    throw shape_error(
        message(function, ": the result is ", text_of(result), ", the output is ", text_of(out)));
}

template <class T>
std::shared_ptr<const lowered_plan> planned(const char* function,
                                            const einsum_subscripts& subscripts,
                                            std::span<const tensor_view<const T>> operands,
                                            const tensor_view<T>* out,
                                            const einsum_options& options) {
  const plan_signature signature = signature_of(subscripts, operands, out, options);
  // A call that is explained is left where it asks for its place, which a kept plan does not.
  if (!dispatch_detail::is_explaining())
    if (auto found = the_cache().find(signature)) {
      if (found->is_alive()) return found;
      the_cache().drop(signature);
    }
  auto plan = made(function, subscripts, operands, out, options);
  // Objects of a plan, whose size is a rough guess, count beside its workspace.
  const std::size_t objects_bytes = 1024 * (1 + plan->steps().size());
  return the_cache().keep(signature, plan, plan->kept_bytes() + objects_bytes);
}

template <class T>
std::shared_ptr<const lowered_plan> planned_again(const lowered_plan& plan,
                                                  std::span<const tensor_view<const T>> operands,
                                                  const tensor_view<T>* out) {
  plan_problem problem = plan.problem();
  place_operands(problem, operands, out);
  return std::make_shared<const lowered_plan>(std::move(problem), plan.path(), plan.on());
}

#define PAPILIO_PLANNED(T)                                                          \
  template std::shared_ptr<const lowered_plan> planned(                             \
      const char*, const einsum_subscripts&, std::span<const tensor_view<const T>>, \
      const tensor_view<T>*, const einsum_options&);                                \
  template std::shared_ptr<const lowered_plan> planned_again(                       \
      const lowered_plan&, std::span<const tensor_view<const T>>, const tensor_view<T>*);
PAPILIO_PLANNED(float)
PAPILIO_PLANNED(double)
PAPILIO_PLANNED(std::complex<float>)
PAPILIO_PLANNED(std::complex<double>)

}  // namespace contract_detail

contraction_cache_counts contraction_cache_statistics() {
  const auto now = contract_detail::the_cache().statistics();
  return {now.hits, now.misses, now.evictions, now.entries, now.bytes};
}
contraction_cache_bound contraction_cache_limit() {
  const auto now = contract_detail::the_cache().limit();
  return {now.entries, now.bytes};
}
void set_contraction_cache_limit(contraction_cache_bound bound) {
  contract_detail::the_cache().set_limit({bound.plans, bound.bytes});
}
void clear_contraction_cache() { contract_detail::the_cache().clear(); }

}  // namespace papilio
