// One line for a call whose arguments do not fit. nanobind's own message lists the signatures; that
// of papilio._calls names the argument.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>

#include "module.hpp"

namespace papilio::python {
namespace {

namespace nb = nanobind;

// How nanobind calls functions, by their kind: it has seven ways in all.
std::array<vectorcallfunc, 16> ways{};

void explain(PyObject* const* arguments, std::size_t count, PyObject* names) {
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return;
  nb::python_error raised;
  try {
    const std::string text = nb::cast<std::string>(nb::str(raised.value()));
    if (text.find("(): incompatible function arguments.") == std::string::npos)
      return raised.restore();
    nb::list positional;
    for (std::size_t i = 0; i < count; ++i) positional.append(nb::handle(arguments[i]));
    nb::dict named;
    if (names != nullptr)
      for (const nb::handle name : nb::borrow<nb::tuple>(names))
        named[name] = nb::handle(arguments[count++]);
    const nb::object words =
        nb::module_::import_("papilio._calls").attr("explained")(text, positional, named);
    PyErr_SetObject(PyExc_TypeError, words.ptr());
  } catch (const std::exception&) {
    raised.restore();
  }
}

template <std::size_t I>
PyObject* explained(PyObject* function, PyObject* const* arguments, std::size_t count,
                    PyObject* names) {
  PyObject* const result = ways[I](function, arguments, count, names);
  // The upper half of the count has flags.
  if (result == nullptr) explain(arguments, count & 0xffffffff, names);
  return result;
}

template <std::size_t... I>
constexpr auto explained_ways(std::index_sequence<I...>) {
  return std::array<vectorcallfunc, sizeof...(I)>{explained<I>...};
}

// The pointer through which Python calls such an object is its first member, in every nanobind so far;
// the stable ABI offers no way to look.
void explain_calls_of(nb::handle function) {
  constexpr auto with_words = explained_ways(std::make_index_sequence<ways.size()>());
  auto& way = *reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(function.ptr()) +
                                                 sizeof(PyVarObject));
#ifndef Py_LIMITED_API
  if (way != PyVectorcall_Function(function.ptr())) return;
#endif
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (ways[i] == nullptr) ways[i] = way;
    if (ways[i] != way) continue;
    way = with_words[i];
    return;
  }
}

}  // namespace

void explain_calls(nb::handle of) {
  for (const nb::handle value : nb::list(of.attr("__dict__").attr("values")())) {
    const std::string type = nb::type_name(value.type()).c_str();
    if (type.ends_with("nb_func") || type.ends_with("nb_method"))
      explain_calls_of(value);
    else if (PyType_Check(value.ptr()))
      explain_calls(value);
  }
}

}  // namespace papilio::python
