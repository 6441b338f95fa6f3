#pragma once

#include <cstddef>
#include <memory>

#include "papilio/fft/dct_plan.hpp"
#include "papilio/fft/fft_plan.hpp"
#include "papilio/fft/rfft_plan.hpp"

namespace papilio::fft_detail {

/// One cosine or sine transform: a kind and all factors.
struct trigonometric_problem {
  std::size_t n = 1;
  trigonometric_kind kind = trigonometric_kind::dct2;
  long double scale = 1;    ///< multiplies every output
  bool orthogonal = false;  ///< whether the ends carry their roots of two (types 1, 2, 3)

  bool is_sine() const { return kind >= trigonometric_kind::dst1; }
};

/// A built cosine or sine transform of one line. Output may be input; scratch overlaps neither.
template <class T>
class trigonometric {
 public:
  virtual ~trigonometric() = default;
  virtual void execute(const T* in, T* out, T* scratch) const = 0;
  std::size_t scratch_reals() const { return scratch_reals_; }

 protected:
  explicit trigonometric(std::size_t scratch_reals) : scratch_reals_(scratch_reals) {}

 private:
  std::size_t scratch_reals_;
};

template <class T>
using trigonometric_ptr = std::unique_ptr<const trigonometric<T>>;

/// Each by a plan without scaling: of length 2(n-1) for dct1, 2(n+1) for dst1,
template <class T>
trigonometric_ptr<T> build_type_1(const trigonometric_problem& p, rfft_plan<T> whole);
/// of length n,
template <class T>
trigonometric_ptr<T> build_type_2(const trigonometric_problem& p, rfft_plan<T> line);
template <class T>
trigonometric_ptr<T> build_type_3(const trigonometric_problem& p, rfft_plan<T> line);
/// forward of length n/2 for even n, and of length n for odd n.
template <class T>
trigonometric_ptr<T> build_type_4_even(const trigonometric_problem& p, fft_plan<T> half);
template <class T>
trigonometric_ptr<T> build_type_4_odd(const trigonometric_problem& p, rfft_plan<T> line);

}  // namespace papilio::fft_detail
