#include "ndarray.hpp"

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_1_23_API_VERSION
#include <nanobind/stl/string.h>
#include <numpy/arrayobject.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <optional>
#include <string>

#include "accelerated.hpp"
#include "papilio/base/error.hpp"
#include "result_memory.hpp"

namespace papilio::python {
namespace {

using base_detail::message;

PyArrayObject* array_of(const nb::object& object) {
  return reinterpret_cast<PyArrayObject*>(object.ptr());
}

nb::object stolen(PyObject* made) {
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

int number_of(element e) {
  switch (e.type) {
    case real_type::single_precision:
      return e.is_complex ? NPY_CFLOAT : NPY_FLOAT;
    case real_type::double_precision:
      return e.is_complex ? NPY_CDOUBLE : NPY_DOUBLE;
    case real_type::extended_precision:
      break;
  }
  return e.is_complex ? NPY_CLONGDOUBLE : NPY_LONGDOUBLE;
}

std::size_t bytes_of(element e) { return size_of(e.type) * (e.is_complex ? 2 : 1); }

// The type that an array's elements are transformed in.
element element_of(const char* function, const char* name, PyArrayObject* a) {
  switch (PyArray_TYPE(a)) {
    case NPY_HALF:
    case NPY_FLOAT:
      return {false, real_type::single_precision};
    case NPY_LONGDOUBLE:
      return {false, real_type::extended_precision};
    case NPY_CFLOAT:
      return {true, real_type::single_precision};
    case NPY_CDOUBLE:
      return {true, real_type::double_precision};
    case NPY_CLONGDOUBLE:
      return {true, real_type::extended_precision};
    default:
      break;
  }
  if (PyArray_TYPE(a) == NPY_DOUBLE || PyTypeNum_ISINTEGER(PyArray_TYPE(a)) ||
      PyArray_TYPE(a) == NPY_BOOL)
    return {false, real_type::double_precision};
  if (PyArray_TYPE(a) == NPY_OBJECT) {
    const auto* const first = static_cast<PyObject* const*>(PyArray_DATA(a));
    const bool has_none = PyArray_SIZE(a) == 0 || *first == nullptr;
    const nb::str kind = has_none ? nb::str("nothing") : nb::inst_name(*first);
    throw nb::type_error(message(function, ": ", name,
                                 " must be numbers, got an array of objects (", kind.c_str(),
                                 "); numpy's astype(float) makes numbers of them")
                             .c_str());
  }
  const nb::object type = nb::borrow(reinterpret_cast<PyObject*>(PyArray_DESCR(a)));
  throw nb::type_error(
      message(function, ": ", name, " must be numbers, got ", nb::str(type).c_str()).c_str());
}

// An array of what need not be one: of tensors of other libraries by their own exchange of memory.
// papilio._arrays.as_array has the same rules.
nb::object any_array(const char* function, const char* name, nb::handle x) {
  if (PyArray_Check(x.ptr())) return nb::borrow(x);
  if (nb::hasattr(x, "__dask_graph__") && !x.attr("__dask_graph__")().is_none())
    throw nb::type_error(
        message(function, ": ", name, " ",
                nb::cast<std::string>(nb::module_::import_("papilio._arrays").attr("NOT_HERE")))
            .c_str());
  if (device_array_of(x) != nullptr)
    throw nb::type_error(
        message(function, ": ", name,
                " must be an array of the host here, got a DeviceArray; its numpy() "
                "copies it there")
            .c_str());
  if (!nb::hasattr(x, "__array__") && nb::hasattr(x, "__dlpack__"))
    return nb::module_::import_("numpy").attr("from_dlpack")(x);
  try {
    return stolen(PyArray_FROM_O(x.ptr()));
  } catch (const nb::python_error& e) {
    if (std::strstr(e.what(), "inhomogeneous") == nullptr) throw;
  }
  throw nb::value_error(
      message(function, ": ", name, " must be an array, got rows of different lengths").c_str());
}

nb::tuple shape_of(std::span<const std::size_t> extents) {
  nb::list shape;
  for (const std::size_t e : extents) shape.append(e);
  return nb::tuple(shape);
}

bool has_whole_strides(PyArrayObject* a) {
  const npy_intp size = PyArray_ITEMSIZE(a);
  for (int i = 0; i < PyArray_NDIM(a); ++i)
    if (PyArray_STRIDE(a, i) % size != 0) return false;
  return true;
}

nb::object converted(const nb::object& x, element as) {
  const auto from = [&](int flags) {
    return stolen(PyArray_FromAny(x.ptr(), PyArray_DescrFromType(number_of(as)), 0, 0,
                                  flags | NPY_ARRAY_ENSUREARRAY | NPY_ARRAY_FORCECAST, nullptr));
  };
  nb::object made = from(NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED);
  if (!has_whole_strides(array_of(made))) made = from(NPY_ARRAY_CARRAY_RO | NPY_ARRAY_ENSURECOPY);
  return made;
}

// to(i...) = f(from(i...)) over the smaller extents.
template <class From, class To, class Function>
void assign(const From* from, std::span<const std::ptrdiff_t> from_steps, To* to,
            std::span<const std::ptrdiff_t> to_steps, std::span<const std::size_t> extents,
            const Function& f) {
  if (extents.empty()) {
    *to = f(*from);
    return;
  }
  const std::ptrdiff_t from_step = from_steps[0], to_step = to_steps[0];
  if (extents.size() == 1 && from_step == 1 && to_step == 1) {
    std::transform(from, from + extents[0], to, f);
    return;
  }
  for (std::size_t i = 0; i < extents[0]; ++i, from += from_step, to += to_step)
    if (extents.size() == 1)
      *to = f(*from);
    else
      assign(from, from_steps.subspan(1), to, to_steps.subspan(1), extents.subspan(1), f);
}

template <class Visitor>
void visit_real(real_type type, const Visitor& visitor) {
  switch (type) {
    case real_type::single_precision:
      return visitor(float());
    case real_type::double_precision:
      return visitor(double());
    case real_type::extended_precision:
      return visitor(static_cast<long double>(0));
  }
}

// numpy asks the array's own handler (NEP 49) for its memory and to free it.
void* results_malloc(void*, std::size_t bytes) { return results().allocate(bytes); }
void* results_calloc(void*, std::size_t count, std::size_t size) {
  void* const memory = results().allocate(count * size);
  return memory == nullptr ? nullptr : std::memset(memory, 0, count * size);
}
void results_free(void*, void* memory, std::size_t) {
  if (memory != nullptr) results().release(memory);
}
void* results_realloc(void*, void* memory, std::size_t bytes) {
  const std::size_t had = results().bytes_of(memory);
  if (bytes <= had) return memory;
  void* const moved = results().allocate(bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, memory, had);
  results().release(memory);
  return moved;
}
PyDataMem_Handler results_handler{
    "papilio", 1, {nullptr, results_malloc, results_calloc, results_realloc, results_free}};

/// While this lives, numpy's new arrays of this thread have their memory from results().
class memory_of_results {
 public:
  memory_of_results() : before_(set(capsule())) {}
  ~memory_of_results() { set(before_); }
  memory_of_results(const memory_of_results&) = delete;
  memory_of_results& operator=(const memory_of_results&) = delete;

 private:
  static const nb::object& capsule() {
    static const auto* const made =
        new nb::object(stolen(PyCapsule_New(&results_handler, "mem_handler", nullptr)));
    return *made;
  }
  static nb::object set(const nb::object& handler) {
    return stolen(PyDataMem_SetHandler(handler.ptr()));
  }
  nb::object before_;
};

}  // namespace

void load_numpy() {
  if (_import_array() < 0) throw nb::python_error();
}

bool is_numpy_array(PyObject* object) { return PyArray_Check(object); }

ndarray::ndarray(nb::object array) : object_(std::move(array)) {
  PyArrayObject* const a = array_of(object_);
  data_ = PyArray_DATA(a);
  element_ = element_of("papilio", "x", a);
  const auto rank = static_cast<std::size_t>(PyArray_NDIM(a));
  const npy_intp size = PyArray_ITEMSIZE(a);
  for (std::size_t i = 0; i < rank; ++i) {
    extents_.push_back(static_cast<std::size_t>(PyArray_DIMS(a)[i]));
    strides_.push_back(PyArray_STRIDES(a)[i] / size);
  }
}

ndarray ndarray::operand(const char* function, nb::handle x, const char* name) {
  const nb::object array = any_array(function, name, x);
  return ndarray(converted(array, element_of(function, name, array_of(array))));
}

ndarray ndarray::operand(const char* function, nb::handle x, element as, const char* name) {
  const nb::object array = any_array(function, name, x);
  if (element_of(function, name, array_of(array)).is_complex && !as.is_complex)
    throw nb::type_error(
        message(function, ": ", name, " must be real, got complex numbers").c_str());
  return ndarray(converted(array, as));
}

ndarray ndarray::in_float_or_double(const char* function, nb::handle x, const char* name) {
  const ndarray a = operand(function, x, name);
  if (a.type().type != real_type::extended_precision) return a;
  return operand(function, x, {a.type().is_complex, real_type::double_precision}, name);
}

ndarray ndarray::output(const char* function, nb::handle out, element of,
                        std::span<const std::size_t> extents) {
  if (!PyArray_Check(out.ptr()))
    throw nb::type_error(message(function, ": out must be a numpy.ndarray").c_str());
  auto* const a = reinterpret_cast<PyArrayObject*>(out.ptr());
  if (PyArray_TYPE(a) != number_of(of) || !PyArray_ISBEHAVED(a) || !has_whole_strides(a)) {
    const nb::object type =
        nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(number_of(of))));
    throw nb::type_error(message(function, ": out must be writable, aligned, and of ",
                                 nb::str(type).c_str(), ", got ",
                                 nb::str(nb::handle(out.attr("dtype"))).c_str())
                             .c_str());
  }
  ndarray result(nb::borrow(out));
  if (!std::ranges::equal(result.extents(), extents))
    throw shape_error(message(function, ": out must have the shape of the result, ",
                              nb::str(shape_of(extents)).c_str(), ", got ",
                              nb::str(nb::handle(out.attr("shape"))).c_str()));
  return result;
}

ndarray ndarray::uninitialized(element of, std::span<const std::size_t> extents) {
  const std::vector<npy_intp> dims(extents.begin(), extents.end());
  std::size_t bytes = bytes_of(of);
  for (const std::size_t e : extents) bytes *= e;
  std::optional<memory_of_results> kept;
  if (bytes >= least_kept_bytes) kept.emplace();
  return ndarray(
      stolen(PyArray_SimpleNew(static_cast<int>(dims.size()), dims.data(), number_of(of))));
}

ndarray ndarray::over(void* data, element of, std::span<const std::size_t> extents,
                      std::span<const std::ptrdiff_t> strides, nb::handle owner) {
  const std::vector<npy_intp> dims(extents.begin(), extents.end());
  std::vector<npy_intp> steps;
  const auto size = static_cast<npy_intp>(bytes_of(of));
  for (const std::ptrdiff_t s : strides) steps.push_back(s * size);
  nb::object made = stolen(PyArray_NewFromDescr(
      &PyArray_Type, PyArray_DescrFromType(number_of(of)), static_cast<int>(dims.size()),
      dims.data(), steps.data(), data, NPY_ARRAY_WRITEABLE | NPY_ARRAY_ALIGNED, nullptr));
  Py_INCREF(owner.ptr());
  if (PyArray_SetBaseObject(array_of(made), owner.ptr()) < 0) throw nb::python_error();
  return ndarray(std::move(made));
}

std::size_t ndarray::size() const {
  std::size_t count = 1;
  for (const std::size_t e : extents_) count *= e;
  return count;
}

bool ndarray::is_writable() const { return PyArray_ISWRITEABLE(array_of(object_)); }

ndarray ndarray::first(std::size_t axis, std::size_t n) const {
  ndarray part = *this;
  part.extents_[axis] = n;
  return part;
}

ndarray ndarray::part(int index) const {
  ndarray part = *this;
  part.element_ = element_.real();
  for (std::ptrdiff_t& s : part.strides_) s *= 2;
  part.data_ = static_cast<char*>(data_) + static_cast<std::size_t>(index) * size_of(element_.type);
  return part;
}

ndarray fitted(const ndarray& x, std::span<const std::size_t> extents, element as, bool conjugate) {
  std::vector<std::size_t> kept(extents.begin(), extents.end());
  bool is_cut = true;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    is_cut = is_cut && extents[i] <= x.extent(i);
    kept[i] = std::min(kept[i], x.extent(i));
  }
  if (is_cut && as == x.type() && !conjugate) {
    ndarray part = x;
    for (std::size_t i = 0; i < kept.size(); ++i) part = part.first(i, kept[i]);
    return part;
  }
  const ndarray to = ndarray::uninitialized(as, extents);
  if (!is_cut) std::memset(to.data(), 0, to.size() * bytes_of(as));
  if (std::ranges::find(kept, std::size_t{0}) != kept.end()) return to;
  visit_real(as.type, [&]<class T>(T) {
    using C = std::complex<T>;
    const auto copy = [&]<class From, class To>(const From* from, To* out, const auto& f) {
      assign(from, x.strides(), out, to.strides(), kept, f);
    };
    if (!as.is_complex)
      copy(static_cast<const T*>(x.data()), static_cast<T*>(to.data()), [](T v) { return v; });
    else if (!x.type().is_complex)
      copy(static_cast<const T*>(x.data()), static_cast<C*>(to.data()),
           [](T v) { return C(v, 0); });
    else
      copy(static_cast<const C*>(x.data()), static_cast<C*>(to.data()),
           [conjugate](const C& v) { return conjugate ? std::conj(v) : v; });
  });
  return to;
}

ndarray contiguous(const ndarray& x) {
  std::ptrdiff_t step = 1;
  bool is_contiguous = true;
  for (std::size_t i = x.rank(); i-- > 0; step *= static_cast<std::ptrdiff_t>(x.extent(i)))
    is_contiguous = is_contiguous && (x.extent(i) <= 1 || x.strides()[i] == step);
  if (is_contiguous || x.size() == 0) return x;
  return ndarray::operand("papilio", x.object().attr("copy")(), x.type());
}

}  // namespace papilio::python
