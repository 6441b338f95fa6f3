#include "papilio/mpi/plans.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>

#include "fft/distributed_design.hpp"
#include "mpi/box_transform.hpp"
#include "mpi/one_axis.hpp"
#include "mpi/planning.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/fft/network_model.hpp"

namespace papilio::mpi {
namespace {

// All that one plan holds.
template <class T>
struct whole_plan {
  communicator all;
  bool is_real = false;
  order output_order = order::natural;
  fft_design design;  // of the spectrum
  box input, output;
  box_transform<T> forward, inverse;
  box_buffers buffers;
  std::size_t buffer_bytes;  // each
  std::string exchanges;     // how they go, and why
};

// One axis, as a matrix cut by rows.
distribution one_axis_input(const char* name, const communicator& all, std::size_t n,
                            const std::vector<int>& grid) {
  if (!grid.empty() && grid != std::vector{all.size()})
    throw invalid_argument(base_detail::message(name, ": the grid of one axis must be {",
                                                all.size(), "}, the ranks, or empty"));
  return rows_of(matrix_of(name, n, all.size()), all.size());
}

distribution array_input(const char* name, const communicator& all,
                         const std::vector<std::size_t>& extents, const plan_options& options,
                         bool is_real) {
  if (extents.size() == 1 && !is_real) return one_axis_input(name, all, extents[0], options.grid);
  if (extents.size() == 1)
    throw invalid_argument(base_detail::message(
        name, ": a real array has 2 to 8 axes, got 1; mpi::fftn_plan transforms it as complex"));
  if (extents.empty() || extents.size() > 8)
    throw invalid_argument(base_detail::message(
        name, ": an array has at most 8 axes, and one at least, got ", extents.size()));
  distribution input(extents, options.grid.empty() ? best_grid(extents, all.size(), options.output)
                                                   : options.grid);
  require_ranks(name, input, all);
  if (input.grid().back() != 1)
    throw invalid_argument(base_detail::message(
        name, ": the last axis must be whole, got the grid ", to_string(input)));
  return input;
}

void require_options(const char* name, const plan_options& options) {
  switch (options.norm) {
    case normalization::backward:
    case normalization::orthonormal:
    case normalization::forward:
    case normalization::none:
      break;
    default:
      throw invalid_argument(base_detail::message(name, ": norm is none of the enumerators"));
  }
  if (options.exchanges != exchange_method::automatic &&
      options.exchanges != exchange_method::messages &&
      options.exchanges != exchange_method::windows)
    throw invalid_argument(base_detail::message(name, ": exchanges is none of the enumerators"));
  if (options.output != order::natural && options.output != order::transposed)
    throw invalid_argument(base_detail::message(name, ": output is none of the enumerators"));
}

std::vector<std::int64_t> numbers_of(const std::vector<std::size_t>& extents,
                                     const plan_options& options) {
  std::vector<std::int64_t> numbers{
      static_cast<std::int64_t>(options.output), static_cast<std::int64_t>(options.norm),
      static_cast<std::int64_t>(options.exchanges), static_cast<std::int64_t>(extents.size())};
  for (const std::size_t extent : extents) numbers.push_back(static_cast<std::int64_t>(extent));
  for (const int pieces : options.grid) numbers.push_back(pieces);
  return numbers;
}

// Collective. `bytes` are those of this rank's windows.
bool chooses_windows(const char* name, const communicator& all, exchange_method method,
                     std::size_t bytes, std::string& reason) {
  if (all.size() == 1 || method == exchange_method::messages) {
    reason = all.size() == 1 ? "nothing: there is one rank" : "messages, as was asked for";
    return false;
  }
  const window_answer answer = ask_for_windows(all, bytes);
  if (method == exchange_method::windows && !answer.yes()) {
    const std::string text =
        base_detail::message(name, ": exchanges cannot go by windows: ", answer.reason);
    if (answer.is_one_node) throw resource_error(text);
    throw invalid_argument(text);
  }
  reason = answer.yes() ? "windows that the node's ranks share" : "messages: " + answer.reason;
  return answer.yes();
}

// The box of a vector whose rows, of so many elements, a box of the matrix has.
box part_of_vector(std::size_t first_row, std::size_t rows, std::size_t length) {
  return {{first_row * length}, {rows * length}};
}

template <class T>
whole_plan<T> make_plan(const char* name, MPI_Comm original,
                        const std::vector<std::size_t>& extents, const plan_options& options,
                        bool is_real) {
  communicator all(original, name);
  all.require_equal(name, numbers_of(extents, options));
  const fft_options lines{.norm = options.norm};
  const bool is_natural = options.output == order::natural, is_line = extents.size() == 1;
  std::optional<fft_design> design, back;
  typename box_transform<T>::real_lines real;
  typename box_transform<T>::twiddles twiddles, twiddles_back;
  box own_input, own_output;
  all.agree([&] {
    const distribution input = array_input(name, all, extents, options, is_real);
    require_options(name, options);
    own_input = input.box_of(all.rank());
    if (is_line) {
      design = design_one_axis(input.extents(), all.size(), options.output, direction::forward);
      back = design_one_axis(input.extents(), all.size(), options.output, direction::inverse);
      twiddles = std::make_shared<const matrix_twiddles<T>>(extents[0], direction::forward);
      twiddles_back = std::make_shared<const matrix_twiddles<T>>(extents[0], direction::inverse);
      own_input = part_of_vector(own_input.first[0], own_input.extents[0], input.extents()[1]);
    } else {
      std::vector<std::size_t> bins = extents;
      if (is_real) {
        bins.back() = bins.back() / 2 + 1;
        real = std::make_shared<const fft_detail::real_box_lines<T>>(extents.back(), lines);
      }
      const distribution spectrum(bins, input.grid());
      design = design_forward(spectrum, options.output);
      // Natural order goes back by the steps of forward, as fftn_plan does; a real transform is the
      // last.
      back = !is_real && is_natural ? *design : design_inverse(spectrum, options.output);
    }
    own_output = design->output().box_of(all.rank());
    if (is_line && is_natural) {
      const box columns = columns_of(input.extents(), all.size()).box_of(all.rank());
      own_output = part_of_vector(columns.first[1], columns.extents[1], input.extents()[0]);
    }
  });
  const std::size_t bytes = sizeof(std::complex<T>) * std::max(buffer_elements(*design, all.rank()),
                                                               buffer_elements(*back, all.rank()));
  std::string exchanges;
  const bool by_windows = chooses_windows(name, all, options.exchanges, 2 * bytes, exchanges);
  box_transform<T> forward(all, *design, direction::forward, lines, real, by_windows, twiddles);
  box_transform<T> inverse(all, *back, direction::inverse, lines, real, by_windows, twiddles_back);
  box_buffers buffers{{all, bytes, by_windows}, {all, bytes, by_windows}};
  return {std::move(all),       is_real,
          options.output,       std::move(*design),
          std::move(own_input), std::move(own_output),
          std::move(forward),   std::move(inverse),
          std::move(buffers),   bytes,
          std::move(exchanges)};
}

// The caller's array as its box of the design. One axis is a matrix whose rows, or the columns of a
// result, lie one behind the other.
template <class E>
struct operand {
  E* data;
  std::vector<std::size_t> extents;
  std::vector<std::ptrdiff_t> strides;

  operand(const tensor_view<E>& x, const box& part, bool is_result)
      : data(x.data()),
        extents(x.extents().begin(), x.extents().end()),
        strides(x.strides().begin(), x.strides().end()) {
    if (extents.size() == part.extents.size()) return;
    extents = part.extents;
    const std::ptrdiff_t step = strides[0];
    if (is_result)
      strides = {step, step * static_cast<std::ptrdiff_t>(extents[0])};
    else
      strides = {step * static_cast<std::ptrdiff_t>(extents[1]), step};
  }
  strided<E> view() const { return {data, extents, strides}; }
};

template <class E>
bool is_same_array(const tensor_view<const E>& in, const tensor_view<E>& out) {
  return in.data() == out.data() && std::ranges::equal(in.strides(), out.strides());
}

template <class T, class In, class Out>
void execute(const char* name, whole_plan<T>& plan, direction dir, tensor_view<const In> in,
             tensor_view<Out> out, int threads, const shared_memory* out_memory = nullptr) {
  const bool is_forward = dir == direction::forward;
  box_transform<T>& run = is_forward ? plan.forward : plan.inverse;
  const box &in_box = is_forward ? plan.input : plan.output,
            &out_box = is_forward ? plan.output : plan.input;
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
  const int rank = plan.all.rank();
  const box argument = plan.design.input.box_of(rank), result = plan.design.output().box_of(rank);
  const operand<const In> from(in, is_forward ? argument : result, !is_forward);
  const operand<Out> to(out, is_forward ? result : argument, is_forward);
  // A vector's parts are no rows of the matrix that the last exchange writes.
  const bool is_line = plan.input.extents.size() == 1;
  const node_memory* const shared =
      run.ends_in_windows() && !is_line ? agreed_memory(plan.all, out_memory) : nullptr;
  run.run(plan.all, from.view(), to.view(), shared, plan.buffers, threads);
}

// Seconds that the model of the default network predicts, and up to how many ranks they fall.
template <class T>
std::string prediction(const whole_plan<T>& plan) {
  using base_detail::message;
  constexpr std::size_t bytes = sizeof(std::complex<T>);
  const network_model network;
  const std::vector<std::size_t>& extents = plan.design.input.extents();
  const network_estimate found = estimate(network, plan.design, plan.is_real, bytes);
  const bool is_line = plan.input.extents.size() == 1;
  const auto seconds_on = [&](int ranks) {
    const fft_design line = design_one_axis(extents, ranks, plan.output_order, direction::forward);
    return estimate(network, line, false, bytes).seconds();
  };
  const auto most = static_cast<int>(std::min<std::size_t>(extents[0], 1 << 20));
  const int paying = is_line
                         ? ranks_of_least_time(most, seconds_on)
                         : ranks_that_pay(extents, plan.output_order, network, plan.is_real, bytes);
  std::array<char, 32> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%.3g s", found.seconds());
  const double share = found.seconds() > 0 ? found.exchange_seconds / found.seconds() : 0;
  return message("model of the network ", network.source, ": ", seconds.data(),
                 " forward, of which exchanges ", std::lround(100 * share), " %; ",
                 static_cast<std::size_t>(found.rank_bytes),
                 " bytes a rank with its arrays; pays up to ", paying,
                 paying == 1 ? " rank\n" : " ranks\n");
}

template <class T>
std::string explanation(const whole_plan<T>& plan, const char* kind) {
  using base_detail::message;
  std::string text =
      message(kind, " on ", plan.all.size(), plan.all.size() == 1 ? " rank\n" : " ranks\n");
  if (plan.input.extents.size() == 1) {
    const std::vector<std::size_t>& matrix = plan.design.input.extents();
    text += message("one axis as a matrix of ", matrix[0], " x ", matrix[1],
                    ", twiddle factors between its axes\n");
  }
  return text + to_string(plan.design) + message("exchanges by ", plan.exchanges, '\n') +
         message("rank ", plan.all.rank(), " sends ", plan.forward.sent() * sizeof(std::complex<T>),
                 " bytes and holds ", 2 * plan.buffer_bytes, " bytes of buffers\n") +
         prediction(plan);
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
  execute<T, std::complex<T>, std::complex<T>>("mpi::fftn_plan::forward", *state_,
                                               direction::forward, in, out, threads);
}
template <class T>
void fftn_plan<T>::forward(tensor_view<const std::complex<T>> in,
                           shared_array<std::complex<T>>& out, int threads) {
  execute<T, std::complex<T>, std::complex<T>>("mpi::fftn_plan::forward", *state_,
                                               direction::forward, in, out, threads, &out.memory());
}
template <class T>
void fftn_plan<T>::inverse(tensor_view<const std::complex<T>> in, tensor_view<std::complex<T>> out,
                           int threads) {
  execute<T, std::complex<T>, std::complex<T>>("mpi::fftn_plan::inverse", *state_,
                                               direction::inverse, in, out, threads);
}
template <class T>
void fftn_plan<T>::inverse(tensor_view<const std::complex<T>> in,
                           shared_array<std::complex<T>>& out, int threads) {
  execute<T, std::complex<T>, std::complex<T>>("mpi::fftn_plan::inverse", *state_,
                                               direction::inverse, in, out, threads, &out.memory());
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
  execute<T, T, std::complex<T>>("mpi::rfftn_plan::forward", *state_, direction::forward, in, out,
                                 threads);
}
template <class T>
void rfftn_plan<T>::forward(tensor_view<const T> in, shared_array<std::complex<T>>& out,
                            int threads) {
  execute<T, T, std::complex<T>>("mpi::rfftn_plan::forward", *state_, direction::forward, in, out,
                                 threads, &out.memory());
}
template <class T>
void rfftn_plan<T>::inverse(tensor_view<const std::complex<T>> in, tensor_view<T> out,
                            int threads) {
  execute<T, std::complex<T>, T>("mpi::rfftn_plan::inverse", *state_, direction::inverse, in, out,
                                 threads);
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
