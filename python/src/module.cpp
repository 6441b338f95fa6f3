// The module papilio._papilio, over which papilio's Python files are a thin layer.
#include "module.hpp"

#include <nanobind/stl/string.h>

#include <strings.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <string>

#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/transform/candidate.hpp"
#include "papilio/version.hpp"
#include "result_memory.hpp"

namespace papilio::python {
namespace {

using clock = std::chrono::steady_clock;
thread_local clock::time_point last_asked;

// With the system's number, where the reason is the system's, Python makes FileNotFoundError and its
// like of it, with the file's name.
void raise_os_error(const io_error& e) {
  const std::string reason = std::string(e.what()).substr(e.path().size() + 2);
  const auto begins = [&](const char* words) {
    return strncasecmp(reason.c_str(), words, std::strlen(words)) == 0;
  };
  for (const int code : {ENOENT, EISDIR, ENOTDIR, EACCES, EPERM, EEXIST, EROFS, ENOSPC, EMFILE,
                         ENAMETOOLONG, ELOOP, EIO, EFBIG, EDQUOT})
    if (begins(code == ENOENT ? "no such file" : std::strerror(code))) {
      const nb::object values = nb::make_tuple(code, reason, e.path());
      return PyErr_SetObject(PyExc_OSError, values.ptr());
    }
  PyErr_SetString(PyExc_OSError, e.what());
}

// Each of papilio's errors becomes the one that Python has for it, with the same words.
void translate(const std::exception_ptr& p, void* device_error_type) {
  const auto raise = [](PyObject* type, const std::exception& e) {
    PyErr_SetString(type, e.what());
  };
  try {
    std::rethrow_exception(p);
  } catch (const device_error& e) {
    raise(static_cast<PyObject*>(device_error_type), e);
  } catch (const io_error& e) {
    raise_os_error(e);
  } catch (const resource_error& e) {
    raise(PyExc_MemoryError, e);
  } catch (const std::bad_alloc& e) {
    raise(PyExc_MemoryError, e);
  } catch (const error& e) {
    raise(PyExc_ValueError, e);
  }
}

}  // namespace

void end_on_signal() {
  const clock::time_point now = clock::now();
  if (now - last_asked < std::chrono::milliseconds(100)) return;
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  last_asked = clock::now();
}

without_gil::without_gil() : before_(exchange_interruption(end_on_signal)) {
  last_asked = clock::now();
}

NB_MODULE(_papilio, m) {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)
    throw nb::import_error(
        "papilio: interpreters within the process, other than its first, are not supported");
  if (const std::string library = build_info().substr(0, build_info().find(','));
      library != "papilio " PAPILIO_VERSION)
    throw nb::import_error(
        ("papilio: the module is of version " PAPILIO_VERSION ", the library is " + library)
            .c_str());
  load_numpy();
  nb::object device_error_type =
      nb::steal(PyErr_NewExceptionWithDoc("papilio.DeviceError",
                                          "The accelerator refuses a kernel.\n\nExample:\n"
                                          "    >>> issubclass(papilio.DeviceError, RuntimeError)\n"
                                          "    True\n",
                                          PyExc_RuntimeError, nullptr));
  m.attr("DeviceError") = device_error_type;
  nb::register_exception_translator(translate, device_error_type.ptr());
  m.def(
      "build_info", &build_info,
      "papilio's version and those of what it was built with.\n\nReturns:\n    A line of text.\n\n"
      "Example:\n    >>> papilio.build_info().split()[0]\n    'papilio'\n");
  m.def(
      "keep_memory", [](std::size_t bytes) { return results().set_limit(bytes); }, nb::arg("limit"),
      "Sets how much memory of freed results is kept for the next ones.\n\n"
      "The system zeroes what it hands out, which takes as long as a short transform.\n\n"
      "Parameters:\n    limit: bytes, of results of 1 MiB and more; 0 keeps none, and frees what "
      "is "
      "kept.\n\n"
      "Returns:\n    The limit that was, at first a 32nd of the computer's memory.\n\n"
      "Raises:\n    TypeError: for what is no integer from 0 on.\n\n"
      "Example:\n    >>> before = papilio.keep_memory(0)\n    >>> papilio.keep_memory(before)\n"
      "    0\n");
#ifdef PAPILIO_PYTHON_DEVICE
  define_accelerators(m);
  define_recordings(m);
#ifdef PAPILIO_PYTHON_TENSOR
  define_plans(m);
#endif
#endif
  define_constant_q(m);
  define_pitch(m);
  define_bands(m);
  define_filters(m);
  define_loudness(m);
  define_levels(m);
  define_two_channel(m);
  define_rhythm(m);
  define_convolutions(m);
  define_features(m);
  define_fourier(m);
  define_masks(m);
  define_noise(m);
  define_signals(m);
  define_pictures(m);
  define_sounds(m);
  define_streams(m);
#ifdef PAPILIO_PYTHON_TENSOR
  define_chemistry(m);
  define_layers(m);
  define_tensors(m);
#endif
  explain_calls(m);
}

}  // namespace papilio::python
