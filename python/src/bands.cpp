// papilio.signal: deltas, contrast, PCEN, auditory bands and MDCT over numpy's arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "adopted.hpp"
#include "exclusively.hpp"
#include "lines.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal.hpp"

namespace papilio::python {
namespace {

using base_detail::message;

/// The enumerator that a word names, words in their order.
template <class Enum>
Enum named(const char* function, const char* option, const std::string& word,
           std::initializer_list<const char*> words) {
  int index = 0;
  std::string all;
  for (const char* known : words) {
    if (word == known) return static_cast<Enum>(index);
    all += (index++ == 0 ? "" : ", ") + std::string(known);
  }
  throw invalid_argument(message(function, ": ", option, " must be one of ", all, ", got ", word));
}

delta_options delta_options_of(std::size_t width, std::size_t order, const std::string& edges) {
  return {width, order,
          named<delta_edges>("delta_plan", "edges", edges,
                             {"interpolate", "nearest", "mirror", "zero", "wrap"})};
}

pcen_options pcen_options_of(double gain, double bias, double power, double time_constant,
                             double floor, std::optional<double> smoothing,
                             std::size_t largest_of) {
  return {gain, bias, power, time_constant, floor, smoothing, largest_of};
}

mdct_options mdct_options_of(std::size_t n, const std::string& window, double alpha,
                             const std::optional<std::string>& norm) {
  return {n,
          named<mdct_window>("mdct_plan", "window", window,
                             {"sine", "kaiser_bessel_derived", "vorbis"}),
          alpha,
          named<normalization>("mdct_plan", "norm", norm.value_or("backward"),
                               {"backward", "ortho", "forward"})};
}

/// f of rows [lines, rows, columns] to rows of the same extents, each line by itself.
template <class Make>
numpy_array of_rows(const char* function, const char* name, nb::handle x, const Make& plan_of,
                    const std::optional<int>& workers) {
  const ndarray in = real_operand(function, name, x);
  const int threads = workers_of(workers);
  return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
    const lines_of<const T, 2> rows(function, in, name);
    const auto plan = plan_of(T());
    const extents_type<2> extents{rows.extent(0), rows.extent(1)};
    const ndarray out = ndarray::uninitialized(in.type(), in.extents());
    rows.each([&](view<const T, 3> lines, std::size_t first) {
      for (std::size_t i = 0; i < lines.extent(0); ++i)
        plan.execute(lines[i], rows_of<T, 3>(out, first + i, {1, extents[0], extents[1]})[0],
                     threads);
    });
    return out.object();
  });
}

numpy_array deltas(nb::handle x, std::size_t width, std::size_t order, const std::string& edges,
                   std::optional<int> workers) {
  const delta_options options = delta_options_of(width, order, edges);
  return of_rows(
      "delta", "x", x, [&]<class T>(T) { return delta_plan<T>(options); }, workers);
}

numpy_array normalized(nb::handle bands, double rate, std::size_t hop, double gain, double bias,
                       double power, double time_constant, double floor,
                       std::optional<double> smoothing, std::size_t largest_of,
                       std::optional<int> workers) {
  const pcen_options options =
      pcen_options_of(gain, bias, power, time_constant, floor, smoothing, largest_of);
  return of_rows(
      "pcen", "bands", bands, [&]<class T>(T) { return pcen_plan<T>(rate, hop, options); },
      workers);
}

numpy_array contrasts(nb::handle magnitude, double rate, std::size_t n_fft, std::size_t octaves,
                      double fmin, double quantile, bool linear, std::optional<double> reference,
                      std::optional<double> floor, std::optional<double> top_db,
                      std::optional<int> workers) {
  const ndarray in = real_operand("spectral_contrast", "magnitude", magnitude);
  const contrast_options options{
      .octaves = octaves,
      .fmin_hz = fmin,
      .quantile = quantile,
      .is_linear = linear,
      .levels = {.reference = reference, .floor = floor, .top_db = top_db}};
  const int threads = workers_of(workers);
  return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
    // The highest level is that of all segments: they are one block.
    const ndarray rows = contiguous(in);
    const lines_of<const T, 1> bins("spectral_contrast", rows, "magnitude");
    const contrast_plan<T> plan(rate, n_fft, options);
    const ndarray out = ndarray::uninitialized(in.type(), bins.with({plan.bands()}));
    bins.each([&](view<const T, 2> lines, std::size_t first) {
      plan.execute(lines, rows_of<T, 2>(out, first, {lines.extent(0), plan.bands()}), threads);
    });
    return out.object();
  });
}

/// auditory_filterbank of float and of double.
class auditory_filterbanks {
 public:
  auditory_filterbanks(double rate, std::size_t n_fft, std::size_t bands, const std::string& shape,
                       double fmin, std::optional<double> fmax, std::size_t order, double bandwidth)
      : rate_(rate),
        n_fft_(n_fft),
        options_{.bands = bands,
                 .shape = named<auditory_shape>("AuditoryFilterbank", "shape", shape,
                                                {"gammatone", "triangle"}),
                 .fmin_hz = fmin,
                 .fmax_hz = fmax,
                 .order = order,
                 .bandwidth_erb = bandwidth} {
    of<float>();
  }

  template <class T>
  const auditory_filterbank<T>& of() {
    auto& f = std::get<std::optional<auditory_filterbank<T>>>(filters_);
    if (!f) f.emplace(rate_, n_fft_, options_);
    return *f;
  }

  numpy_array apply(nb::handle power, std::optional<int> workers) {
    constexpr const char* function = "AuditoryFilterbank.apply";
    const ndarray in = real_operand(function, "power", power);
    const int threads = workers_of(workers);
    return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
      const auditory_filterbank<T>& f = of<T>();
      const lines_of<const T, 1> rows(function, in, "power");
      if (rows.extent(0) != f.bins())
        throw shape_error(message(function, ": power must be [..., ", f.bins(), " bins], got ",
                                  rows.extent(0), " bins"));
      const ndarray out = ndarray::uninitialized(in.type(), rows.with({f.bands()}));
      rows.each([&](view<const T, 2> lines, std::size_t first) {
        f.apply(lines, rows_of<T, 2>(out, first, {lines.extent(0), f.bands()}), threads);
      });
      return out.object();
    });
  }
  nb::tuple arguments() const {
    const char* const shape =
        options_.shape == auditory_shape::gammatone ? "gammatone" : "triangle";
    return nb::make_tuple(rate_, n_fft_, options_.bands, shape, options_.fmin_hz, options_.fmax_hz,
                          options_.order, options_.bandwidth_erb);
  }
  std::vector<double> edges_hz() {
    const auto e = of<float>().edges_hz();
    return {e.begin(), e.end()};
  }
  std::vector<std::size_t> empty_bands() {
    const auto e = of<float>().empty_bands();
    return {e.begin(), e.end()};
  }

 private:
  double rate_;
  std::size_t n_fft_;
  auditory_options options_;
  std::tuple<std::optional<auditory_filterbank<float>>, std::optional<auditory_filterbank<double>>>
      filters_;
};

template <class Function>
numpy_array erb_of_each(const char* function, nb::handle x, const Function& f) {
  const ndarray from = contiguous(real_operand(function, "values", x));
  const ndarray out = ndarray::uninitialized(from.type(), from.extents());
  visit_signal(from.type(), [&]<class T>(T) {
    const T* const first = static_cast<const T*>(from.data());
    std::transform(first, first + from.size(), static_cast<T*>(out.data()),
                   [&](T v) { return static_cast<T>(f(static_cast<double>(v))); });
  });
  return out.object();
}

numpy_array mdct_frames(nb::handle x, std::size_t n, const std::string& window, double alpha,
                        const std::optional<std::string>& norm, std::optional<int> workers) {
  const ndarray in = real_operand("mdct", "x", x);
  const mdct_options options = mdct_options_of(n, window, alpha, norm);
  const int threads = workers_of(workers);
  return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
    const mdct_plan<T> plan(options);
    const lines_of<const T, 1> signals("mdct", in);
    const std::size_t frames = plan.frames(signals.extent(0));
    const ndarray out = ndarray::uninitialized(in.type(), signals.with({frames, n}));
    signals.each([&](view<const T, 2> lines, std::size_t first) {
      std::vector<T> copy;
      for (std::size_t i = 0; i < lines.extent(0); ++i)
        plan.forward(gapless(lines[i], copy), rows_of<T, 3>(out, first + i, {1, frames, n})[0],
                     threads);
    });
    return out.object();
  });
}

numpy_array mdct_signal(nb::handle frames, const std::string& window, double alpha,
                        const std::optional<std::string>& norm, std::optional<std::size_t> length,
                        std::optional<int> workers) {
  const ndarray in = real_operand("imdct", "frames", frames);
  const int threads = workers_of(workers);
  return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
    const lines_of<const T, 2> signals("imdct", in, "frames");
    const std::size_t count = signals.extent(0), n = signals.extent(1);
    const mdct_plan<T> plan(mdct_options_of(n, window, alpha, norm));
    const std::size_t most = count == 0 ? 0 : (count - 1) * n, samples = length.value_or(most);
    if (samples > most)
      throw invalid_argument(message("imdct: length must be at most ", most, " samples of ", count,
                                     " frames, got ", samples));
    const ndarray out = ndarray::uninitialized(in.type(), signals.with({samples}));
    signals.each([&](view<const T, 3> lines, std::size_t first) {
      for (std::size_t i = 0; i < lines.extent(0); ++i)
        plan.inverse(lines[i],
                     std::span<T>(static_cast<T*>(out.data()) + (first + i) * samples, samples),
                     threads);
    });
    return out.object();
  });
}

/// Rows [rows, columns] of a block, as elements T.
template <class T>
struct row_block {
  ndarray kept;
  view<const T, 2> rows;

  row_block(const char* function, const char* name, nb::handle x)
      : kept(ndarray::operand(function, x, {false, real_type_of<T>}, name)) {
    if (kept.rank() != 2)
      throw shape_error(message(function, ": ", name, " must have 2 axes, got ", kept.rank()));
    rows = view<const T, 2>(static_cast<const T*>(kept.data()), {kept.extent(0), kept.extent(1)},
                            {kept.strides()[0], kept.strides()[1]});
  }
};

/// Rows or samples that a stream passed on, as an array.
template <class T>
class passed_on {
 public:
  void add(std::span<const T> row) { values_.insert(values_.end(), row.begin(), row.end()); }
  void clear() { values_.clear(); }
  /// [rows, columns], or [samples] of no columns.
  numpy_array taken(std::size_t columns) {
    std::vector<std::size_t> extents{values_.size()};
    if (columns > 0) extents = {values_.size() / columns, columns};
    const ndarray out = ndarray::uninitialized({false, real_type_of<T>}, extents);
    std::ranges::copy(values_, static_cast<T*>(out.data()));
    values_.clear();
    return out.object();
  }

 private:
  std::vector<T> values_;
};

template <class T>
class deltas_of {
 public:
  deltas_of(std::size_t features, const delta_options& options) : stream_(options, features) {}

  numpy_array push(nb::handle x) {
    const row_block<T> block("DeltaStream.push", "rows", x);
    const exclusively held(mutex_);
    {
      const without_gil released;
      stream_.push(block.rows, [this](std::uint64_t, std::span<const T> row) { made_.add(row); });
    }
    return made_.taken(stream_.features());
  }
  numpy_array finish() {
    const exclusively held(mutex_);
    stream_.finish([this](std::uint64_t, std::span<const T> row) { made_.add(row); });
    return made_.taken(stream_.features());
  }
  void reset() {
    const exclusively held(mutex_);
    stream_.reset();
    made_.clear();
  }

 private:
  std::mutex mutex_;
  delta_stream<T> stream_;
  passed_on<T> made_;
};

template <class T>
class pcen_of {
 public:
  pcen_of(std::size_t bands, double rate, std::size_t hop, const pcen_options& options)
      : stream_(pcen_plan<T>(rate, hop, options), bands) {}

  numpy_array push(nb::handle x) {
    const row_block<T> block("PcenStream.push", "bands", x);
    const std::size_t extents[] = {block.rows.extent(0), block.rows.extent(1)};
    const ndarray out = ndarray::uninitialized({false, real_type_of<T>}, extents);
    const exclusively held(mutex_);
    {
      const without_gil released;
      stream_.push(block.rows, view<T, 2>(static_cast<T*>(out.data()), {extents[0], extents[1]}));
    }
    return out.object();
  }
  void reset() {
    const exclusively held(mutex_);
    stream_.reset();
  }

 private:
  std::mutex mutex_;
  pcen_stream<T> stream_;
};

template <class T>
class mdct_of {
 public:
  explicit mdct_of(const mdct_options& options) : stream_(mdct_plan<T>(options)) {}

  numpy_array push(nb::handle x) {
    const ndarray in = ndarray::operand("MdctStream.push", x, {false, real_type_of<T>}, "samples");
    if (in.rank() != 1)
      throw shape_error(message("MdctStream.push: samples must have 1 axis, got ", in.rank()));
    const exclusively held(mutex_);
    {
      const without_gil released;
      std::vector<T> copy;
      const view<const T, 1> samples(static_cast<const T*>(in.data()), {in.extent(0)},
                                     {in.strides()[0]});
      stream_.push(gapless(samples, copy),
                   [this](std::uint64_t, std::span<const T> row) { made_.add(row); });
    }
    return made_.taken(stream_.plan().coefficients());
  }
  numpy_array finish() {
    const exclusively held(mutex_);
    stream_.finish([this](std::uint64_t, std::span<const T> row) { made_.add(row); });
    return made_.taken(stream_.plan().coefficients());
  }
  void reset() {
    const exclusively held(mutex_);
    stream_.reset();
    made_.clear();
  }

 private:
  std::mutex mutex_;
  mdct_stream<T> stream_;
  passed_on<T> made_;
};

template <class T>
class imdct_of {
 public:
  explicit imdct_of(const mdct_options& options) : stream_(mdct_plan<T>(options)) {}

  numpy_array push(nb::handle x) {
    const row_block<T> block("ImdctStream.push", "frames", x);
    const exclusively held(mutex_);
    {
      const without_gil released;
      std::vector<T> copy;
      for (std::size_t f = 0; f < block.rows.extent(0); ++f)
        stream_.push(gapless(block.rows[f], copy),
                     [this](std::span<const T> samples) { made_.add(samples); });
    }
    return made_.taken(0);
  }
  void reset() {
    const exclusively held(mutex_);
    stream_.reset();
    made_.clear();
  }

 private:
  std::mutex mutex_;
  imdct_stream<T> stream_;
  passed_on<T> made_;
};

template <class T>
void define_band_streams(nb::module_& m, const std::string& type) {
  nb::class_<deltas_of<T>>(m, ("DeltaStream" + type).c_str())
      .def("push", &deltas_of<T>::push, nb::arg("rows"))
      .def("finish", &deltas_of<T>::finish)
      .def("reset", &deltas_of<T>::reset);
  nb::class_<pcen_of<T>>(m, ("PcenStream" + type).c_str())
      .def("push", &pcen_of<T>::push, nb::arg("bands"))
      .def("reset", &pcen_of<T>::reset);
  nb::class_<mdct_of<T>>(m, ("MdctStream" + type).c_str())
      .def("push", &mdct_of<T>::push, nb::arg("samples"))
      .def("finish", &mdct_of<T>::finish)
      .def("reset", &mdct_of<T>::reset);
  nb::class_<imdct_of<T>>(m, ("ImdctStream" + type).c_str())
      .def("push", &imdct_of<T>::push, nb::arg("frames"))
      .def("reset", &imdct_of<T>::reset);
}

void define_stream_makers(nb::module_& m) {
  m.def(
      "delta_stream",
      [](std::size_t features, std::size_t width, std::size_t order, const std::string& edges,
         bool in_double) {
        return made<deltas_of>(in_double, features, delta_options_of(width, order, edges));
      },
      nb::arg("features"), nb::arg("width"), nb::arg("order"), nb::arg("edges"),
      nb::arg("in_double"));
  m.def(
      "pcen_stream",
      [](std::size_t bands, double rate, std::size_t hop, double gain, double bias, double power,
         double time_constant, double floor, std::optional<double> smoothing,
         std::size_t largest_of, bool in_double) {
        return made<pcen_of>(
            in_double, bands, rate, hop,
            pcen_options_of(gain, bias, power, time_constant, floor, smoothing, largest_of));
      },
      nb::arg("bands"), nb::arg("rate"), nb::arg("hop"), nb::arg("gain"), nb::arg("bias"),
      nb::arg("power"), nb::arg("time_constant"), nb::arg("floor"), nb::arg("smoothing").none(),
      nb::arg("largest_of"), nb::arg("in_double"));
  m.def(
      "mdct_stream",
      [](std::size_t n, const std::string& window, double alpha,
         const std::optional<std::string>& norm, bool in_double) {
        return made<mdct_of>(in_double, mdct_options_of(n, window, alpha, norm));
      },
      nb::arg("n"), nb::arg("window"), nb::arg("alpha"), nb::arg("norm").none(),
      nb::arg("in_double"));
  m.def(
      "imdct_stream",
      [](std::size_t n, const std::string& window, double alpha,
         const std::optional<std::string>& norm, bool in_double) {
        return made<imdct_of>(in_double, mdct_options_of(n, window, alpha, norm));
      },
      nb::arg("n"), nb::arg("window"), nb::arg("alpha"), nb::arg("norm").none(),
      nb::arg("in_double"));
}

}  // namespace

void define_bands(nb::module_& m) {
  nb::class_<auditory_filterbanks>(m, "AuditoryFilterbank")
      .def(nb::init<double, std::size_t, std::size_t, const std::string&, double,
                    std::optional<double>, std::size_t, double>(),
           nb::arg("rate"), nb::arg("n_fft"), nb::arg("bands") = 64, nb::arg("shape") = "gammatone",
           nb::arg("fmin") = 50.0, nb::arg("fmax") = nb::none(), nb::arg("order") = 4,
           nb::arg("bandwidth") = 1.019)
      .def("__reduce__",
           [](nb::handle self) {
             return nb::make_tuple(self.type(), nb::cast<auditory_filterbanks&>(self).arguments());
           })
      .def("apply", &auditory_filterbanks::apply, nb::arg("power"), nb::arg("workers") = nb::none(),
           nb::sig("def apply(self, power: numpy.typing.ArrayLike, workers: int | None = None) -> "
                   "numpy.ndarray"),
           "Bands [..., bands] of powers [..., bins].")
      .def(
          "dense", [](auditory_filterbanks& f) { return adopted(f.of<double>().dense()); },
          nb::sig("def dense(self) -> numpy.ndarray"), "Weights, [bands, bins].")
      .def_prop_ro("bands", [](auditory_filterbanks& f) { return f.of<float>().bands(); })
      .def_prop_ro("bins", [](auditory_filterbanks& f) { return f.of<float>().bins(); })
      .def_prop_ro("edges_hz", &auditory_filterbanks::edges_hz)
      .def_prop_ro("empty_bands", &auditory_filterbanks::empty_bands,
                   "Triangles so narrow that they contain no bin.");
  m.def(
      "hz_to_erb_number",
      [](nb::handle hz) { return erb_of_each("hz_to_erb_number", hz, hz_to_erb_number); },
      nb::arg("hz"));
  m.def(
      "erb_number_to_hz",
      [](nb::handle number) { return erb_of_each("erb_number_to_hz", number, erb_number_to_hz); },
      nb::arg("number"));
  m.def("delta", &deltas, nb::arg("x"), nb::arg("width"), nb::arg("order"), nb::arg("edges"),
        nb::arg("workers").none());
  m.def("pcen", &normalized, nb::arg("bands"), nb::arg("rate"), nb::arg("hop"), nb::arg("gain"),
        nb::arg("bias"), nb::arg("power"), nb::arg("time_constant"), nb::arg("floor"),
        nb::arg("smoothing").none(), nb::arg("largest_of"), nb::arg("workers").none());
  m.def("spectral_contrast", &contrasts, nb::arg("magnitude"), nb::arg("rate"), nb::arg("n_fft"),
        nb::arg("octaves"), nb::arg("fmin"), nb::arg("quantile"), nb::arg("linear"),
        nb::arg("reference").none(), nb::arg("floor").none(), nb::arg("top_db").none(),
        nb::arg("workers").none());
  m.def("mdct", &mdct_frames, nb::arg("x"), nb::arg("n"), nb::arg("window"), nb::arg("alpha"),
        nb::arg("norm").none(), nb::arg("workers").none());
  m.def("imdct", &mdct_signal, nb::arg("frames"), nb::arg("window"), nb::arg("alpha"),
        nb::arg("norm").none(), nb::arg("length").none(), nb::arg("workers").none());
  m.def(
      "mdct_window",
      [](const std::string& name, std::size_t n, double alpha) {
        return adopted(make_mdct_window<double>(mdct_options_of(n, name, alpha, "backward")));
      },
      nb::arg("name"), nb::arg("n"), nb::arg("alpha"));
  define_band_streams<float>(m, "Float");
  define_band_streams<double>(m, "Double");
  define_stream_makers(m);
}

}  // namespace papilio::python
