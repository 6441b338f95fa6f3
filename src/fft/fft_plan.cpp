#include "papilio/fft/fft_plan.hpp"

#include "fft/axis.hpp"
#include "fft/complex_line.hpp"
#include "fft/design.hpp"
#include "fft/executable.hpp"
#include "fft/line.hpp"
#include "fft/measure.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio {

using namespace fft_detail;

template <class T>
struct fft_plan<T>::state {
  std::size_t n;
  direction dir;
  fft_options given;
  recipe plan;
  std::unique_ptr<const executable<T>> transform;
  column_lines<T> columns;

  state(std::size_t length, direction d, fft_options options)
      : n(length),
        dir(d),
        given(options),
        plan(choose<T>(length, d, options.plan_effort)),
        transform(build<T>(plan, d, scale_of(options.norm, d, length))),
        columns(length, d, scale_of(options.norm, d, length)) {}
};

template <class T>
fft_plan<T>::fft_plan(std::size_t n, direction dir, fft_options options) {
  if (n == 0) throw invalid_argument("fft_plan: n must be at least 1, got 0");
  checked_multiply(n, 16 * sizeof(std::complex<T>), "fft_plan: n");
  state_ = std::make_shared<const state>(n, dir, options);
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
fft_plan<T> fft_plan<T>::adjoint() const {
  fft_options options = state_->given;
  options.norm = swapped(options.norm);
  return fft_plan(state_->n, opposite(state_->dir), options);
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
recipe fft_plan<T>::design(batch_layout layout) const {
  const std::optional<recipe>& columns = state_->columns.design();
  return columns && are_columns(layout) ? *columns : state_->plan;
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
  require_length(name, "in", in.size(), state_->n, "execute_batch");
  require_length(name, "out", out.size(), state_->n, "execute_batch");
  require_scratch(name, scratch.size(), scratch_size());
  require_same_or_apart(name, in.data(), in.size_bytes(), out.data(), out.size_bytes());
  state_->transform->execute(reals(in.data()), reals(out.data()), reals(scratch.data()));
}

template <class T>
void fft_plan<T>::execute_parallel(std::span<const std::complex<T>> in,
                                   std::span<std::complex<T>> out, int threads) const {
  constexpr const char* name = "fft_plan::execute_parallel";
  require_length(name, "in", in.size(), state_->n, "execute_batch");
  require_length(name, "out", out.size(), state_->n, "execute_batch");
  require_same_or_apart(name, in.data(), in.size_bytes(), out.data(), out.size_bytes());
  const int team = thread_count(threads);
  line_scratch<T> scratch(state_->transform->scratch_reals());
  state_->transform->execute(reals(in.data()), reals(out.data()), scratch.data(), team);
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
  transform_axis("fft_plan::execute_batch", plan_access::line(*this), any_rank(in), any_rank(out),
                 1, threads);
}

template <class T>
void fft_plan<T>::execute_lines(base_detail::strided<const std::complex<T>> in,
                                base_detail::strided<std::complex<T>> out, std::size_t axis,
                                int threads) const {
  transform_axis("fft_plan::execute_axis", plan_access::line(*this), in, out, axis, threads);
}

namespace fft_detail {

template <class T>
complex_line<T> plan_access::line(const fft_plan<T>& plan) {
  return {plan.state_->n, *plan.state_->transform, plan.state_->columns};
}

template complex_line<float> plan_access::line(const fft_plan<float>&);
template complex_line<double> plan_access::line(const fft_plan<double>&);
template complex_line<long double> plan_access::line(const fft_plan<long double>&);

}  // namespace fft_detail

template class fft_plan<float>;
template class fft_plan<double>;
template class fft_plan<long double>;

}  // namespace papilio
