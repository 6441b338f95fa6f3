#include "papilio/mpi/plans.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "mpi/box_transform.hpp"
#include "mpi/planning.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::mpi {
namespace {

// All that one plan holds; the real transform, where there is one, is of `n` points.
template <class T>
struct whole_plan {
  communicator all;
  fft_design design;  // of the spectrum
  box input, output;
  box_transform<T> forward, inverse;
  box_buffers<T> buffers;
};

distribution checked_input(const char* name, const communicator& all,
                           const std::vector<std::size_t>& extents, const plan_options& options) {
  if (extents.size() < 2 || extents.size() > 8)
    throw invalid_argument(
        base_detail::message(name, ": an array has 2 to 8 axes, got ", extents.size()));
  distribution input(extents, options.grid.empty() ? best_grid(extents, all.size(), options.output)
                                                   : options.grid);
  require_ranks(name, input, all);
  if (input.grid().back() != 1)
    throw invalid_argument(base_detail::message(
        name, ": the last axis must be whole, got the grid ", to_string(input)));
  switch (options.norm) {
    case normalization::backward:
    case normalization::orthonormal:
    case normalization::forward:
    case normalization::none:
      break;
    default:
      throw invalid_argument(base_detail::message(name, ": norm is none of the enumerators"));
  }
  if (options.output != order::natural && options.output != order::transposed)
    throw invalid_argument(base_detail::message(name, ": output is none of the enumerators"));
  return input;
}

std::vector<std::int64_t> numbers_of(const std::vector<std::size_t>& extents,
                                     const plan_options& options) {
  std::vector<std::int64_t> numbers{static_cast<std::int64_t>(options.output),
                                    static_cast<std::int64_t>(options.norm),
                                    static_cast<std::int64_t>(extents.size())};
  for (const std::size_t extent : extents) numbers.push_back(static_cast<std::int64_t>(extent));
  for (const int pieces : options.grid) numbers.push_back(pieces);
  return numbers;
}

template <class T>
whole_plan<T> make_plan(const char* name, MPI_Comm original,
                        const std::vector<std::size_t>& extents, const plan_options& options,
                        bool is_real) {
  communicator all(original, name);
  all.require_equal(name, numbers_of(extents, options));
  std::optional<distribution> input, spectrum;
  typename box_transform<T>::real_lines real;
  const fft_options lines{.norm = options.norm};
  all.agree([&] {
    input = checked_input(name, all, extents, options);
    std::vector<std::size_t> bins = extents;
    if (is_real) {
      bins.back() = bins.back() / 2 + 1;
      real = std::make_shared<const fft_detail::real_box_lines<T>>(extents.back(), lines);
    }
    spectrum.emplace(bins, input->grid());
  });
  fft_design design = design_forward(*spectrum, options.output);
  box_transform<T> forward(all, design, direction::forward, lines, real);
  // Natural order goes back by the steps of forward, as fftn_plan does; a real transform is the last.
  const bool falls = !is_real && options.output == order::natural;
  box_transform<T> inverse(all, falls ? design : design_inverse(*spectrum, options.output),
                           direction::inverse, lines, real);
  box_buffers<T> buffers;
  const std::size_t elements = std::max(forward.buffer_elements(), inverse.buffer_elements());
  all.agree([&] {
    buffers.first = array<std::complex<T>, 1>(elements, uninitialized);
    buffers.second = array<std::complex<T>, 1>(elements, uninitialized);
  });
  box own_input = input->box_of(all.rank()), own_output = design.output().box_of(all.rank());
  return {std::move(all),     std::move(design),  std::move(own_input), std::move(own_output),
          std::move(forward), std::move(inverse), std::move(buffers)};
}

template <class E>
bool is_same_array(const tensor_view<const E>& in, const tensor_view<E>& out) {
  return in.data() == out.data() && std::ranges::equal(in.strides(), out.strides());
}

template <class T, class In, class Out>
void execute(const char* name, whole_plan<T>& plan, box_transform<T>& run, tensor_view<const In> in,
             const box& in_box, tensor_view<Out> out, const box& out_box, int threads) {
  std::optional<tensor<In>> copy;
  plan.all.agree([&] {
    require_operands(name, in, in_box, out, out_box);
    thread_count(threads);
    run.require_threads(threads);
    if (in.empty() || out.empty()) return;
    bool is_in_place = false;
    if constexpr (std::is_same_v<In, Out>) is_in_place = is_same_array<In>(in, out);
    const auto reach = [](const auto& x, std::size_t bytes) {
      return base_detail::reach(x.data(), bytes, x.extents(), x.strides());
    };
    // With an exchange all of `in` is read before `out` is written.
    if (plan.all.size() > 1 || is_in_place ||
        !reach(in, sizeof(In)).overlaps(reach(out, sizeof(Out))))
      return;
    copy.emplace(in.extents(), uninitialized);
    std::vector<std::ptrdiff_t> strides(in.rank());
    base_detail::set_row_major(in.extents(), strides);
    copy_box(in.data(), in.strides(), copy->data(), std::span<const std::ptrdiff_t>(strides),
             in.extents());
  });
  if (copy) in = copy->view();
  run.run(strided<const In>{in.data(), in.extents(), in.strides()},
          strided<Out>{out.data(), out.extents(), out.strides()}, plan.buffers, threads);
}

template <class T>
std::string explanation(const whole_plan<T>& plan, const char* kind) {
  using base_detail::message;
  const std::size_t buffers = 2 * plan.buffers.first.size() * sizeof(std::complex<T>);
  return message(kind, " on ", plan.all.size(), plan.all.size() == 1 ? " rank\n" : " ranks\n") +
         to_string(plan.design) +
         message("rank ", plan.all.rank(), " sends ", plan.forward.sent() * sizeof(std::complex<T>),
                 " bytes and holds ", buffers, " bytes of buffers\n");
}

}  // namespace

template <class T>
struct fftn_plan<T>::state : whole_plan<T> {};
template <class T>
struct rfftn_plan<T>::state : whole_plan<T> {};

template <class T>
fftn_plan<T>::fftn_plan(MPI_Comm communicator, std::vector<std::size_t> extents,
                        plan_options options)
    : state_(new state{make_plan<T>("mpi::fftn_plan", communicator, extents, options, false)}) {}
template <class T>
fftn_plan<T>::fftn_plan(fftn_plan&&) noexcept = default;
template <class T>
fftn_plan<T>& fftn_plan<T>::operator=(fftn_plan&&) noexcept = default;
template <class T>
fftn_plan<T>::~fftn_plan() = default;

template <class T>
const box& fftn_plan<T>::input() const {
  return state_->input;
}
template <class T>
const box& fftn_plan<T>::output() const {
  return state_->output;
}
template <class T>
const fft_design& fftn_plan<T>::design() const {
  return state_->design;
}
template <class T>
void fftn_plan<T>::forward(tensor_view<const std::complex<T>> in, tensor_view<std::complex<T>> out,
                           int threads) {
  execute<T, std::complex<T>, std::complex<T>>("mpi::fftn_plan::forward", *state_, state_->forward,
                                               in, input(), out, output(), threads);
}
template <class T>
void fftn_plan<T>::inverse(tensor_view<const std::complex<T>> in, tensor_view<std::complex<T>> out,
                           int threads) {
  execute<T, std::complex<T>, std::complex<T>>("mpi::fftn_plan::inverse", *state_, state_->inverse,
                                               in, output(), out, input(), threads);
}
template <class T>
std::string fftn_plan<T>::explain() const {
  return explanation(*state_, "complex transform");
}

template <class T>
rfftn_plan<T>::rfftn_plan(MPI_Comm communicator, std::vector<std::size_t> extents,
                          plan_options options)
    : state_(new state{make_plan<T>("mpi::rfftn_plan", communicator, extents, options, true)}) {}
template <class T>
rfftn_plan<T>::rfftn_plan(rfftn_plan&&) noexcept = default;
template <class T>
rfftn_plan<T>& rfftn_plan<T>::operator=(rfftn_plan&&) noexcept = default;
template <class T>
rfftn_plan<T>::~rfftn_plan() = default;

template <class T>
const box& rfftn_plan<T>::input() const {
  return state_->input;
}
template <class T>
const box& rfftn_plan<T>::output() const {
  return state_->output;
}
template <class T>
const fft_design& rfftn_plan<T>::design() const {
  return state_->design;
}
template <class T>
void rfftn_plan<T>::forward(tensor_view<const T> in, tensor_view<std::complex<T>> out,
                            int threads) {
  execute<T, T, std::complex<T>>("mpi::rfftn_plan::forward", *state_, state_->forward, in, input(),
                                 out, output(), threads);
}
template <class T>
void rfftn_plan<T>::inverse(tensor_view<const std::complex<T>> in, tensor_view<T> out,
                            int threads) {
  execute<T, std::complex<T>, T>("mpi::rfftn_plan::inverse", *state_, state_->inverse, in, output(),
                                 out, input(), threads);
}
template <class T>
std::string rfftn_plan<T>::explain() const {
  return explanation(*state_, "real transform");
}

template class fftn_plan<float>;
template class fftn_plan<double>;
template class rfftn_plan<float>;
template class rfftn_plan<double>;

}  // namespace papilio::mpi
