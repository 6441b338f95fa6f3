#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "papilio/base/tensor.hpp"
#include "papilio/base/vocabulary.hpp"

// numpy's arrays as operands. numpy's own interface for C is used, for its rules of conversion and
// for arrays of any element type, long double included.
namespace papilio::python {

namespace nb = nanobind;

/// Element type of an array that a transform reads or writes.
struct element {
  bool is_complex = false;
  real_type type = real_type::double_precision;

  bool operator==(const element&) const = default;
  element complex() const { return {true, type}; }
  element real() const { return {false, type}; }
};

bool is_numpy_array(PyObject* object);

/// An array as a result of the module's functions, which annotations name.
class numpy_array : public nb::object {
 public:
  NB_OBJECT(numpy_array, nb::object, "numpy.ndarray", is_numpy_array)
  numpy_array(nb::object array) : nb::object(std::move(array)) {}
};

/// Strided memory of a numpy array, which is kept alive.
class ndarray {
 public:
  ndarray() = default;

  /// Any array-like of numbers, copied only where papilio cannot read it: other element types
  /// (integers and bool become double, float16 float), foreign byte order, strides that are no
  /// multiple of an element. Raises TypeError, in the name of `function` and of its argument, for
  /// elements that are not numbers.
  static ndarray operand(const char* function, nb::handle x, const char* name = "x");
  /// The operand as elements of that type; the real part of a complex one is not taken: TypeError.
  static ndarray operand(const char* function, nb::handle x, element as, const char* name = "x");
  /// `operand` in float or double, complex or not: long double becomes double.
  static ndarray in_float_or_double(const char* function, nb::handle x, const char* name = "x");
  /// What `operand` makes of a writable array to write into: it has to be the array itself, of these
  /// elements and extents. Raises TypeError or ValueError.
  static ndarray output(const char* function, nb::handle out, element of,
                        std::span<const std::size_t> extents);
  /// An array over memory that `owner` keeps.
  static ndarray over(void* data, element of, std::span<const std::size_t> extents,
                      std::span<const std::ptrdiff_t> strides, nb::handle owner);
  /// A new array, row by row, not initialised.
  static ndarray uninitialized(element of, std::span<const std::size_t> extents);

  element type() const { return element_; }
  std::size_t rank() const { return extents_.size(); }
  std::size_t size() const;
  std::span<const std::size_t> extents() const { return extents_; }
  std::span<const std::ptrdiff_t> strides() const { return strides_; }
  std::size_t extent(std::size_t axis) const { return extents_[axis]; }
  bool is_writable() const;
  void* data() const { return data_; }
  const nb::object& object() const { return object_; }

  /// Elements [0, n) along an axis.
  ndarray first(std::size_t axis, std::size_t n) const;
  /// The real (0) or imaginary (1) parts of complex elements.
  ndarray part(int index) const;

  operator untyped_view<const void>() const { return {data_, extents_, strides_}; }
  operator untyped_view<void>() const { return {data_, extents_, strides_}; }

 private:
  explicit ndarray(nb::object array);

  nb::object object_;
  void* data_ = nullptr;
  element element_;
  std::vector<std::size_t> extents_;
  std::vector<std::ptrdiff_t> strides_;
};

/// x with these extents: itself, cut, or with zeros behind, as elements `as`; `conjugate` conjugates.
ndarray fitted(const ndarray& x, std::span<const std::size_t> extents, element as,
               bool conjugate = false);

/// x, or a copy, with its elements row by row without gaps.
ndarray contiguous(const ndarray& x);

/// Loads numpy; once, while the module is.
void load_numpy();

}  // namespace papilio::python
