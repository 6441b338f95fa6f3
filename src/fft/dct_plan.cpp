#include "papilio/fft/dct_plan.hpp"

#include <algorithm>
#include <utility>

#include "fft/axis.hpp"
#include "fft/design.hpp"
#include "fft/line.hpp"
#include "fft/trigonometric.hpp"

namespace papilio {

using namespace fft_detail;

namespace {

trigonometric_kind inverse_of(trigonometric_kind kind) {
  switch (kind) {
    case trigonometric_kind::dct2:
      return trigonometric_kind::dct3;
    case trigonometric_kind::dct3:
      return trigonometric_kind::dct2;
    case trigonometric_kind::dst2:
      return trigonometric_kind::dst3;
    case trigonometric_kind::dst3:
      return trigonometric_kind::dst2;
    default:
      return kind;
  }
}

// The period of the sequence that the n reals stand for.
std::size_t period_of(trigonometric_kind kind, std::size_t n) {
  if (kind == trigonometric_kind::dct1) return 2 * (n - 1);
  if (kind == trigonometric_kind::dst1) return 2 * (n + 1);
  return 2 * n;
}

// Lines of an array by one of the two directions of a plan.
template <class T>
class trigonometric_line final : public line_transform<T, T> {
 public:
  trigonometric_line(std::size_t n, const trigonometric<T>& transform)
      : line_transform<T, T>(n, n, transform.scratch_reals()), transform_(transform) {}
  void run(const T* in, T* out, T* scratch) const override { transform_.execute(in, out, scratch); }

 private:
  const trigonometric<T>& transform_;
};

}  // namespace

template <class T>
struct dct_plan<T>::state {
  std::size_t n;
  trigonometric_kind kind;
  recipe plan;
  trigonometric_ptr<T> forward, inverse;

  state(std::size_t length, trigonometric_kind which, fft_options options)
      : n(length), kind(which) {
    const std::size_t period = period_of(kind, n);
    const auto problem = [&](direction dir) {
      return trigonometric_problem{n, dir == direction::forward ? kind : inverse_of(kind),
                                   scale_of(options.norm, dir, period),
                                   options.norm == normalization::orthonormal};
    };
    const fft_options unscaled{normalization::none, options.plan_effort};
    const auto build_both = [&](auto part, const auto& build_one) {
      plan = trigonometric_design(kind, n, part.design());
      forward = build_one(problem(direction::forward), part);
      inverse = build_one(problem(direction::inverse), part);
    };
    const trigonometric_part part = part_of(kind, n);
    if (!part.is_real) {
      build_both(fft_plan<T>(part.n, direction::forward, unscaled), build_type_4_even<T>);
    } else {
      build_both(rfft_plan<T>(part.n, unscaled), build_of_real);
    }
  }

  static trigonometric_ptr<T> build_of_real(const trigonometric_problem& p, rfft_plan<T> line) {
    switch (p.kind) {
      case trigonometric_kind::dct1:
      case trigonometric_kind::dst1:
        return build_type_1(p, std::move(line));
      case trigonometric_kind::dct2:
      case trigonometric_kind::dst2:
        return build_type_2(p, std::move(line));
      case trigonometric_kind::dct3:
      case trigonometric_kind::dst3:
        return build_type_3(p, std::move(line));
      default:
        return build_type_4_odd(p, std::move(line));
    }
  }

  std::size_t scratch_reals() const {
    return std::max(forward->scratch_reals(), inverse->scratch_reals());
  }

  void execute(const char* name, const char* of_many_lines, const trigonometric<T>& transform,
               std::span<const T> in, std::span<T> out, std::span<T> scratch) const {
    require_length(name, "in", in.size(), n, of_many_lines);
    require_length(name, "out", out.size(), n, of_many_lines);
    require_same_or_apart(name, in.data(), in.size_bytes(), out.data(), out.size_bytes());
    if (scratch.empty()) {
      line_scratch<T> own(transform.scratch_reals());
      transform.execute(in.data(), out.data(), own.data());
    } else {
      require_scratch(name, scratch.size(), scratch_reals());
      transform.execute(in.data(), out.data(), scratch.data());
    }
  }
};

template <class T>
dct_plan<T>::dct_plan(std::size_t n, trigonometric_kind kind, fft_options options) {
  if (kind > trigonometric_kind::dst4)
    throw invalid_argument("dct_plan: kind is none of the enumerators");
  const std::size_t least = kind == trigonometric_kind::dct1 ? 2 : 1;
  if (n < least)
    throw invalid_argument(base_detail::message("dct_plan: n must be at least ", least,
                                                least == 2 ? " for dct1" : "", ", got ", n));
  checked_multiply(n, 64 * sizeof(std::complex<T>), "dct_plan: n");
  state_ = std::make_shared<const state>(n, kind, options);
}

template <class T>
std::size_t dct_plan<T>::size() const {
  return state_->n;
}
template <class T>
trigonometric_kind dct_plan<T>::kind() const {
  return state_->kind;
}
template <class T>
std::size_t dct_plan<T>::scratch_size() const {
  return state_->scratch_reals();
}
template <class T>
const recipe& dct_plan<T>::design() const {
  return state_->plan;
}

template <class T>
void dct_plan<T>::forward(std::span<const T> in, std::span<T> out, std::span<T> scratch) const {
  state_->execute("dct_plan::forward", "forward_axis", *state_->forward, in, out, scratch);
}

template <class T>
void dct_plan<T>::inverse(std::span<const T> in, std::span<T> out, std::span<T> scratch) const {
  state_->execute("dct_plan::inverse", "inverse_axis", *state_->inverse, in, out, scratch);
}

template <class T>
void dct_plan<T>::forward_lines(base_detail::strided<const T> in, base_detail::strided<T> out,
                                std::size_t axis, int threads) const {
  transform_axis("dct_plan::forward_axis", trigonometric_line<T>(size(), *state_->forward), in, out,
                 axis, threads);
}

template <class T>
void dct_plan<T>::inverse_lines(base_detail::strided<const T> in, base_detail::strided<T> out,
                                std::size_t axis, int threads) const {
  transform_axis("dct_plan::inverse_axis", trigonometric_line<T>(size(), *state_->inverse), in, out,
                 axis, threads);
}

template class dct_plan<float>;
template class dct_plan<double>;
template class dct_plan<long double>;

}  // namespace papilio
