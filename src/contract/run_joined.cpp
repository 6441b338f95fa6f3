#include "contract/run_joined.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "contract/device_many.hpp"
#include "contract/planner.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio {
namespace contract_detail {
namespace {

constexpr const char* joined_function = "contract_many";

}  // namespace

template <class T>
std::vector<tensor<T>> run_joined(std::span<const host_contraction<T>> contractions,
                                  std::span<const std::shared_ptr<const lowered_plan>> plans,
                                  const execution& on, contraction_sharing& told) {
  joined_plans joined;
  std::vector<std::size_t> made;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    std::vector<const void*> data;
    for (const tensor_view<const T>& o : contractions[i].operands) data.push_back(o.data());
    made.push_back(joined.add(*plans[i], data));
  }
  const contraction_problem problem = joined.problem();
  accelerator* const where = accelerator_for(joined_function, problem, on);
  if (where == nullptr) return {};
  std::vector<device_input> in;
  for (const joined_plans::operand& o : joined.operands())
    in.emplace_back(untyped_view<const void>(o.data, o.extents, o.strides), problem.is_complex);
  std::vector<tensor<T>> distinct, results;
  std::vector<tensor_view<T>> views;
  for (const std::size_t r : problem.results) {
    const auto plan = std::ranges::find(made, r - problem.operands.size()) - made.begin();
    distinct.emplace_back(plans[static_cast<std::size_t>(plan)]->out_extents(), uninitialized);
  }
  for (tensor<T>& t : distinct) views.push_back(t.view());
  std::vector<device_output> out;
  for (const tensor_view<T>& v : views)
    out.emplace_back(untyped_view<void>(v.data(), v.extents(), v.strides()), problem.is_complex);
  run_on(joined_function, *where, problem, on.precision, in, out);
  for (const std::size_t step : made) results.push_back(distinct[joined.result(step)]);
  told.distinct = joined.steps();
  return results;
}

namespace {

// Plans of device arrays, and where they lie; nothing is run.
template <class T>
class device_contractions {
 public:
  device_contractions(std::span<const ordered_contraction<device_ndarray<T>>> all,
                      const contract_many_options& options)
      : options_(options) {
    for (std::size_t i = 0; i < all.size(); ++i) of_contraction(i, [&] { add(all[i]); });
  }

  std::vector<device_ndarray<T>> run(contraction_sharing& told) {
    const contraction_problem problem = joined_.problem();
    std::vector<device_input> in;
    for (const joined_plans::operand& o : joined_.operands())
      in.emplace_back(*std::ranges::find(tensors_, o.data, [](const shared_tensor& t) {
        return static_cast<const void*>(t.get());
      }));
    const std::vector<operand_shape> shapes = shapes_of(problem).out;
    std::vector<device_ndarray<T>> distinct, results;
    std::vector<device_output> out;
    for (const operand_shape& shape : shapes)
      distinct.emplace_back(new_tensor(*on_, shape, joined_function));
    for (const device_ndarray<T>& t : distinct) out.emplace_back(t.tensor(joined_function));
    run_on(joined_function, *on_, problem, options_.on.precision, in, out);
    for (const std::size_t step : made_) results.push_back(distinct[joined_.result(step)]);
    told.steps = steps_;
    told.distinct = joined_.steps();
    return results;
  }

 private:
  void add(const ordered_contraction<device_ndarray<T>>& c) {
    std::vector<const void*> data;
    std::vector<tensor_view<const T>> views;  // of which only extents are looked at
    for (const device_ndarray<T>& o : c.operands) {
      const shared_tensor& tensor = o.tensor("einsum");
      require_place(tensor->on("einsum"));
      tensors_.push_back(tensor);
      data.push_back(tensor.get());
      views.emplace_back(static_cast<const T*>(nullptr), tensor->shape().extents);
    }
    einsum_options each{.conjugate = c.conjugate,
                        .path = options_.path,
                        .pairs = c.planned_pairs(),
                        .on = options_.on};
    each.on.where = policy::host;  // which the whole is not
    each.on.on = on_;
    einsum_labels held;
    const auto plan = planned<T>("einsum", c.planned_subscripts(held),
                                 std::span<const tensor_view<const T>>(views), nullptr, each);
    if (plan->out_extents().empty())
      throw shape_error("einsum: the result has no axes, device arrays have at least one");
    steps_ += plan->steps().size();
    made_.push_back(joined_.add(*plan, data));
  }

  void require_place(accelerator& lies_on) {
    if (on_ == nullptr) on_ = &place_device_array("einsum", lies_on, options_.on);
    if (on_ != &lies_on)
      throw invalid_argument(base_detail::message("einsum: an operand lies on the accelerator ",
                                                  lies_on.name(), ", one before it on another, ",
                                                  on_->name()));
  }

  const contract_many_options& options_;
  accelerator* on_ = nullptr;
  joined_plans joined_;
  std::vector<shared_tensor> tensors_;
  std::vector<std::size_t> made_;
  std::size_t steps_ = 0;
};

}  // namespace

template <class T>
std::vector<device_ndarray<T>> contract_ordered(
    std::span<const ordered_contraction<device_ndarray<T>>> contractions,
    const contract_many_options& options, contraction_sharing* sharing) {
  contraction_sharing shared;
  std::vector<device_ndarray<T>> results;
  if (!contractions.empty()) results = device_contractions<T>(contractions, options).run(shared);
  if (sharing != nullptr) *sharing = shared;
  return results;
}

}  // namespace contract_detail

template <class T>
std::vector<device_ndarray<T>> contract_many(std::span<const device_contraction<T>> contractions,
                                             const contract_many_options& options,
                                             contraction_sharing* sharing) {
  const auto all = contract_detail::searched(contractions);
  return contract_detail::contract_ordered<T>(
      std::span<const contract_detail::ordered_contraction<device_ndarray<T>>>(all), options,
      sharing);
}

#define PAPILIO_JOINED(T)                                                                      \
  template std::vector<tensor<T>> contract_detail::run_joined(                                 \
      std::span<const contract_detail::host_contraction<T>>,                                   \
      std::span<const std::shared_ptr<const contract_detail::lowered_plan>>, const execution&, \
      contraction_sharing&);
PAPILIO_JOINED(float)
PAPILIO_JOINED(double)
PAPILIO_JOINED(std::complex<float>)
PAPILIO_JOINED(std::complex<double>)

#define PAPILIO_RESIDENTS(T)                                                                       \
  template std::vector<device_ndarray<T>> contract_many(                                           \
      std::span<const device_contraction<T>>, const contract_many_options&, contraction_sharing*); \
  template std::vector<device_ndarray<T>> contract_detail::contract_ordered(                       \
      std::span<const contract_detail::ordered_contraction<device_ndarray<T>>>,                    \
      const contract_many_options&, contraction_sharing*);
PAPILIO_RESIDENTS(float)
PAPILIO_RESIDENTS(std::complex<float>)

}  // namespace papilio
