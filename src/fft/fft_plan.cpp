#include "papilio/fft/fft_plan.hpp"

#include <algorithm>
#include <vector>

#include "fft/executable.hpp"
#include "fft/line.hpp"
#include "fft/measure.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio {

using namespace fft_detail;
using base_detail::reach;
using base_detail::require_distinct;

template <class T>
struct fft_plan<T>::state {
  std::size_t n;
  direction dir;
  recipe plan;
  std::unique_ptr<const executable<T>> transform;

  // One row of a batch, through contiguous memory where its elements are not adjacent.
  void execute_row(view<const std::complex<T>, 1> in, view<std::complex<T>, 1> out,
                   std::complex<T>* line, T* scratch) const {
    const std::complex<T>* from = in.data();
    if (n > 1 && in.stride(0) != 1) {
      for (std::size_t i = 0; i < n; ++i) line[i] = in[i];
      from = line;
    }
    if (n == 1 || out.stride(0) == 1) {
      transform->execute(reals(from), reals(out.data()), scratch);
      return;
    }
    transform->execute(reals(from), reals(line), scratch);
    for (std::size_t i = 0; i < n; ++i) out[i] = line[i];
  }
};

template <class T>
fft_plan<T>::fft_plan(std::size_t n, direction dir, fft_options options) {
  if (n == 0) throw invalid_argument("fft_plan: n must be at least 1, got 0");
  checked_multiply(n, 16 * sizeof(std::complex<T>), "fft_plan: n");
  recipe plan = choose<T>(n, dir, options.plan_effort);
  auto transform = build<T>(plan, dir, scale_of(options.norm, dir, n));
  state_ = std::make_shared<const state>(state{n, dir, std::move(plan), std::move(transform)});
}

template <class T>
std::size_t fft_plan<T>::size() const {
  return state_->n;
}
template <class T>
direction fft_plan<T>::transform_direction() const {
  return state_->dir;
}
template <class T>
std::size_t fft_plan<T>::scratch_size() const {
  return (state_->transform->scratch_reals() + 1) / 2;
}
template <class T>
const recipe& fft_plan<T>::design() const {
  return state_->plan;
}
template <class T>
recipe fft_plan<T>::design(batch_layout) const {
  return state_->plan;
}

template <class T>
void fft_plan<T>::execute(std::span<const std::complex<T>> in,
                          std::span<std::complex<T>> out) const {
  line_scratch<T> scratch(state_->transform->scratch_reals());
  execute(in, out, {reinterpret_cast<std::complex<T>*>(scratch.data()), scratch_size()});
}

template <class T>
void fft_plan<T>::execute(std::span<const std::complex<T>> in, std::span<std::complex<T>> out,
                          std::span<std::complex<T>> scratch) const {
  constexpr const char* name = "fft_plan::execute";
  require_length(name, "in", in.size(), state_->n);
  require_length(name, "out", out.size(), state_->n);
  require_scratch(name, scratch.size(), scratch_size());
  require_same_or_apart(name, in.data(), in.size_bytes(), out.data(), out.size_bytes());
  state_->transform->execute(reals(in.data()), reals(out.data()), reals(scratch.data()));
}

template <class T>
void fft_plan<T>::execute_split(split_view<const T> in, split_view<T> out,
                                std::span<T> scratch) const {
  constexpr const char* name = "fft_plan::execute_split";
  require_length(name, "in", in.size(), state_->n);
  require_length(name, "out", out.size(), state_->n);
  for (const std::span<const T> from : {in.re(), in.im()})
    for (const std::span<T> to : {out.re(), out.im()})
      require_same_or_apart(name, from.data(), from.size_bytes(), to.data(), to.size_bytes());
  if (out.re().data() == out.im().data())
    throw invalid_argument("fft_plan::execute_split: re and im of out are the same memory");
  require_same_or_apart(name, out.re().data(), out.re().size_bytes(), out.im().data(),
                        out.im().size_bytes());
  const auto run = [&](T* memory) {
    state_->transform->execute_split(in.re().data(), in.im().data(), out.re().data(),
                                     out.im().data(), memory);
  };
  if (scratch.empty()) {
    line_scratch<T> own(state_->transform->scratch_reals());
    run(own.data());
  } else {
    require_scratch(name, scratch.size(), 2 * scratch_size());
    run(scratch.data());
  }
}

template <class T>
void fft_plan<T>::execute_batch(view<const std::complex<T>, 2> in, view<std::complex<T>, 2> out,
                                int threads) const {
  constexpr const char* name = "fft_plan::execute_batch";
  const std::size_t n = state_->n, rows = in.extent(0);
  require_length(name, "a row of in", in.extent(1), n);
  require_length(name, "a row of out", out.extent(1), n);
  if (rows != out.extent(0))
    throw shape_error(base_detail::message(name, ": in has ", rows, " rows, out ", out.extent(0)));
  require_distinct(name, out);
  const bool same = in.data() == out.data() && in.strides() == out.strides();
  if (!same && reach(in).overlaps(reach(out))) {
    array<std::complex<T>, 2> copy(in.extents());
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < n; ++j) copy(i, j) = in(i, j);
    execute_batch(copy.view(), out, threads);
    return;
  }
  // One piece of consecutive rows for each thread, so that scratch is had once for each.
  const std::size_t pieces = std::min<std::size_t>(rows, thread_count(threads));
  parallel_for(pieces, threads, [&](std::size_t piece) {
    array<T, 1> scratch(state_->transform->scratch_reals());
    array<std::complex<T>, 1> line(in.stride(1) == 1 && out.stride(1) == 1 ? 0 : n);
    for (std::size_t i = rows * piece / pieces; i < rows * (piece + 1) / pieces; ++i)
      state_->execute_row(in[i], out[i], line.data(), scratch.data());
  });
}

template class fft_plan<float>;
template class fft_plan<double>;
template class fft_plan<long double>;

}  // namespace papilio
