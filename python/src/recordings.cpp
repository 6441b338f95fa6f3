// Programs that papilio.nki records: any instruction of the engine, by its opcode and its fields' names.
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/instruction_text.hpp"
#include "recorded_program.hpp"

namespace papilio::python {
namespace {

using base_detail::message;
using bytes_array = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::object attribute(nb::handle object, nb::handle name) {
  PyObject* const value = PyObject_GetAttr(object.ptr(), name.ptr());
  if (value == nullptr) throw nb::python_error();
  return nb::steal(value);
}

std::int64_t integer(nb::handle value) {
  const long long number = PyLong_AsLongLong(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return number;
}

/// A view of Python as a reference: `memory` with a `number`, `partition`, `offset`, and `axes` of
/// (extent, step of the partition, stride), the last `tail` of which are levels of their own.
class view_reader {
 public:
  reference read(nb::handle view) const {
    reference r;
    r.memory = std::int32_t(integer(attribute(attribute(view, memory_), number_)));
    r.offset = integer(attribute(view, offset_));
    r.partition = std::int16_t(integer(attribute(view, partition_)));
    const nb::object axes = attribute(view, axes_);
    const auto tail = std::size_t(integer(attribute(view, tail_)));
    const std::size_t count = nb::len(axes);
    bool apart = true;  // the level begins a group
    bool has_partitions = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (tail > 0 && i + tail == count) {
        if (r.rank == 0) push(r, {1, 1});
        apart = true;
      }
      const nb::object axis = nb::steal(PySequence_GetItem(axes.ptr(), Py_ssize_t(i)));
      const auto part = [&](Py_ssize_t k) { return integer(NB_TUPLE_GET_ITEM(axis.ptr(), k)); };
      const std::int64_t extent = part(0), step = part(1), stride = part(2);
      if (extent == 1) continue;
      if (step != 0) {
        if (stride != 0 || step != 1 || has_partitions)
          throw invalid_argument(
              message("the view's partitions must follow one another along one axis, got steps of ",
                      step, " partitions and ", stride, " elements"));
        if (extent > INT16_MAX) throw invalid_argument(message("got ", extent, " partitions"));
        r.partitions = std::int16_t(extent);
        has_partitions = true;
        continue;
      }
      if (!apart && r.levels[std::size_t(r.rank - 1)].stride == stride * extent) {
        engine::pattern_dim& last = r.levels[std::size_t(r.rank - 1)];
        last = {last.extent * extent, stride};
      } else {
        push(r, {extent, stride});
      }
      apart = false;
    }
    if (r.rank == 0 || (tail > 0 && apart)) push(r, {1, 1});
    return r;
  }

  bool is_view(nb::handle object) const { return PyObject_HasAttr(object.ptr(), axes_.ptr()) != 0; }

 private:
  static void push(reference& r, const engine::pattern_dim& level) {
    if (std::size_t(r.rank) == r.levels.size())
      throw invalid_argument(
          message("the view has more than ", r.levels.size(), " levels of different strides"));
    r.levels[std::size_t(r.rank++)] = level;
  }

  nb::str memory_{"memory"}, number_{"number"}, offset_{"offset"}, partition_{"partition"},
      axes_{"axes"}, tail_{"tail"};
};

template <class Enum>
Enum named(nb::handle value) {
  static const std::map<std::string, Enum, std::less<>> all = [] {
    std::map<std::string, Enum, std::less<>> names;
    for (int i = 0; *engine::to_string(Enum(i)) != '?'; ++i)
      names[engine::to_string(Enum(i))] = Enum(i);
    return names;
  }();
  Py_ssize_t length = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &length);
  if (text == nullptr) throw nb::python_error();
  const auto found = all.find(std::string_view(text, std::size_t(length)));
  if (found == all.end()) throw invalid_argument(message("there is no ", text));
  return found->second;
}

/// One instruction on its way from Python's operands.
struct making {
  const view_reader& views;
  std::array<reference, 8> references = {};
  std::uint32_t count = 0;
  std::int8_t field = 0;
  bool writes = false;

  void refer(nb::handle view) {
    reference& r = references[count++] = views.read(view);
    r.field = field;
    r.writes = writes;
  }

  void put(engine::tile_view&, nb::handle value) { refer(value); }
  void put(engine::hbm_view&, nb::handle value) { refer(value); }
  void put(engine::dma_operand&, nb::handle value) { refer(value); }
  void put(engine::scalar_operand& f, nb::handle value) {
    if (views.is_view(value))
      refer(value);
    else
      f.value = nb::cast<double>(value);
  }
  template <class Enum>
    requires requires { engine::to_string(Enum()); }
  void put(Enum& f, nb::handle value) {
    f = named<Enum>(value);
  }
  void put(engine::affine_pattern& f, nb::handle value) {
    using levels = std::vector<std::pair<std::int64_t, std::int64_t>>;
    f.base = nb::cast<std::int64_t>(value[0]);
    f.partition_step = nb::cast<std::int64_t>(value[1]);
    const auto list = nb::cast<levels>(value[2]);
    if (list.size() > f.levels.size())
      throw invalid_argument(
          message("a pattern has at most ", f.levels.size(), " levels, got ", list.size()));
    for (std::size_t i = 0; i < list.size(); ++i)
      f.levels[f.levels.size() - list.size() + i] = {list[i].first, list[i].second};
  }
  template <std::size_t Size>
  void put(std::array<std::uint8_t, Size>& f, nb::handle value) {
    const auto list = nb::cast<std::vector<std::uint8_t>>(value);
    if (list.size() != Size)
      throw invalid_argument(message("must have ", Size, " entries, got ", list.size()));
    std::ranges::copy(list, f.begin());
  }
  template <class Number>
    requires std::is_arithmetic_v<Number>
  void put(Number& f, nb::handle value) {
    f = nb::cast<Number>(value);
  }
  /// Registers, semaphores and what concerns several cores are not recorded.
  template <class Other>
  void put(Other&, nb::handle) {
    throw invalid_argument("cannot be recorded");
  }
};

using maker = engine::instruction (*)(making&, PyObject*);

template <class Instruction>
engine::instruction make(making& m, PyObject* operands) {
  Instruction one{};
  Py_ssize_t used = 0;
  engine::for_each_field(one, [&]<class Place>(Place, auto& field) {
    constexpr engine::field what = Instruction::fields[Place::value];
    static PyObject* const name = PyUnicode_InternFromString(what.name);
    if (PyObject* const value = PyDict_GetItemWithError(operands, name); value != nullptr) {
      m.field = std::int8_t(Place::value);
      m.writes = what.does != engine::role::read && what.does != engine::role::load;
      try {
        m.put(field, value);
      } catch (const nb::cast_error&) {
        throw invalid_argument(message(Instruction::opcode, ": ", what.name, ": got ",
                                       nb::cast<std::string>(nb::repr(nb::handle(value)))));
      } catch (const error& e) {
        throw invalid_argument(message(Instruction::opcode, ": ", what.name, ": ", e.what()));
      }
      ++used;
    }
  });
  if (used != PyDict_Size(operands)) {
    for (const auto& [key, value] : nb::borrow<nb::dict>(operands)) {
      const auto name = nb::cast<std::string>(key);
      if (std::ranges::find(Instruction::fields, name, &engine::field::name) ==
          std::end(Instruction::fields))
        throw invalid_argument(message(Instruction::opcode, " has no field ", name));
    }
  }
  return one;
}

template <class... Instructions>
std::map<std::string, maker, std::less<>> makers_of(const std::variant<Instructions...>*) {
  return {{Instructions::opcode, &make<Instructions>}...};
}

record_role role_named(std::string_view name) {
  if (name.empty()) return record_role::plain;
  if (name == "assigns") return record_role::assigns;
  if (name == "adds") return record_role::adds;
  if (name == "accumulates") return record_role::accumulates;
  throw invalid_argument(message("no role ", name));
}

tensor_role tensor_role_named(std::string_view name) {
  if (name == "scratch") return tensor_role::scratch;
  if (name == "input") return tensor_role::input;
  if (name == "output") return tensor_role::output;
  if (name == "updated") return tensor_role::updated;
  throw invalid_argument(message("no role ", name));
}

/// A program that is recorded, then run.
class recording {
 public:
  explicit recording(const std::string& kernel) : program_(kernel) {}

  int tile(bool psum, int partitions, std::int64_t columns, const std::string& type, int line,
           nb::handle file) {
    return program_.add_tile(
        {.space = psum ? engine::memory_space::psum : engine::memory_space::sbuf,
         .partitions = partitions,
         .columns = columns,
         .type = engine::parse_dtype(type),
         .line = line,
         .file = file_of(file)});
  }

  int tensor(std::vector<std::int64_t> shape, const std::string& type, const std::string& role) {
    return program_.add_tensor({std::move(shape), engine::parse_dtype(type)},
                               tensor_role_named(role));
  }
  void set_role(int number, const std::string& role) {
    program_.tensor(std::size_t(~number)).role = tensor_role_named(role);
  }

  void issue(const std::string& opcode, nb::dict operands, int line, nb::handle file,
             const std::string& role) {
    static const auto makers = makers_of(static_cast<const engine::instruction*>(nullptr));
    const auto make_one = makers.find(opcode);
    if (make_one == makers.end()) throw invalid_argument("no instruction " + opcode);
    making m{views_};
    record next{.what = make_one->second(m, operands.ptr())};
    next.line = line;
    next.file = file_of(file);
    next.role = role_named(role);
    program_.add(std::move(next), std::span(m.references).first(m.count));
  }

  void settle() { program_.settle(); }

  nb::dict run(const std::string& machine, const std::string& runtime, bool dry, bool trace,
               int threads, nb::dict arrays) {
    for (const auto& [number, array] : arrays) {
      const auto bytes = nb::cast<bytes_array>(array);
      program_.tensor(std::size_t(~nb::cast<int>(number))).data = {
          reinterpret_cast<std::byte*>(bytes.data()), bytes.size()};
    }
    replayed r;
    std::string text, numbers, verdict, listing, events;
    {
      const without_gil released;
      r = program_.run(engine::load_machine(machine), engine::load_runtime(runtime),
                       dry ? engine::run_mode::dry_run : engine::run_mode::execute, trace, threads);
      verdict = r.run.summary.verdict_text();
      numbers = r.run.summary.to_json();
      if (trace) {
        listing = r.run.events.listing();
        events = r.run.events.to_chrome_json();
      }
    }
    nb::dict d;
    d["verdict"] = verdict;
    d["summary"] = numbers;
    d["listing"] = listing;
    d["trace"] = events;
    d["instructions"] = r.run.instructions;
    d["device_seconds"] = r.run.device_seconds;
    d["launch_seconds"] = r.run.launch_seconds;
    d["upload_seconds"] = r.run.upload.seconds;
    d["fetch_seconds"] = r.run.fetch.seconds;
    d["total_seconds"] = r.run.total_seconds();
    d["replay_seconds"] = r.run.wall_seconds;
    d["repeated_loads"] = r.repeated_loads;
    d["repeated_load_bytes"] = r.repeated_load_bytes;
    return d;
  }

  std::vector<std::pair<std::string, int>> lines() const { return program_.lines(); }
  std::vector<int> stored_tensors() const { return program_.stored_tensors(); }
  std::size_t size() const { return program_.size(); }

 private:
  // Callers mostly pass one string object again and again.
  std::uint32_t file_of(nb::handle name) {
    if (name.ptr() != last_name_.ptr()) {
      last_file_ = program_.file(nb::cast<std::string>(name));
      last_name_ = nb::borrow(name);
    }
    return last_file_;
  }

  recorded_program program_;
  view_reader views_;
  nb::object last_name_;
  std::uint32_t last_file_ = 0;
};

}  // namespace

void define_recordings(nb::module_& m) {
  nb::class_<recording>(m, "Recording")
      .def(nb::init<const std::string&>(), nb::arg("kernel"))
      .def("tile", &recording::tile)
      .def("tensor", &recording::tensor)
      .def("set_role", &recording::set_role)
      .def("issue", &recording::issue)
      .def("settle", &recording::settle)
      .def("run", &recording::run)
      .def("lines", &recording::lines)
      .def("stored_tensors", &recording::stored_tensors)
      .def("__len__", &recording::size);
  m.def("describe_instruction",
        [](const std::string& opcode) { return engine::describe_instruction(opcode).to_json(); });
  m.def("core_generation", [](const std::string& machine) {
    return engine::core_generation(engine::load_machine(machine));
  });
}

}  // namespace papilio::python
