// papilio.signal: short-time transforms, densities, mel bands and features over numpy's arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal.hpp"

namespace papilio::python {
namespace {

using base_detail::message;

/// Calls visitor(float()) or visitor(double()) for elements that signals are computed in.
template <class Visitor>
auto visit(const element& e, const Visitor& visitor) {
  return e.type == real_type::single_precision ? visitor(float()) : visitor(double());
}

/// The last `kept` axes as they are, all before as one.
template <class T, std::size_t Kept>
struct lines_of {
  nb::object keeper;
  view<T, Kept + 1> lines;
  std::vector<std::size_t> leading;

  lines_of(const char* function, const ndarray& x) {
    if (x.rank() < Kept)
      throw shape_error(message(function, ": at least ", Kept, " axes, got ", x.rank()));
    const std::size_t before = x.rank() - Kept;
    leading.assign(x.extents().begin(), x.extents().begin() + static_cast<std::ptrdiff_t>(before));
    ndarray flat = x;
    if (before > 1) {
      nb::list shape;
      shape.append(-1);
      for (std::size_t i = before; i < x.rank(); ++i) shape.append(x.extent(i));
      if (x.size() > 0) flat = ndarray::operand(function, x.object().attr("reshape")(shape));
    }
    keeper = flat.object();
    extents_type<Kept + 1> extents;
    strides_type<Kept + 1> strides;
    const std::size_t first = flat.rank() - Kept;
    extents[0] = first == 0 ? 1 : x.size() == 0 ? product(leading) : flat.extent(0);
    strides[0] = first == 0 ? 0 : flat.strides()[0];
    for (std::size_t i = 0; i < Kept; ++i) {
      extents[i + 1] = flat.extent(first + i);
      strides[i + 1] = flat.strides()[first + i];
    }
    lines = view<T, Kept + 1>(static_cast<T*>(flat.data()), extents, strides);
  }

  /// Extents of a result that has these in the place of the kept ones.
  std::vector<std::size_t> with(std::initializer_list<std::size_t> kept) const {
    std::vector<std::size_t> all = leading;
    all.insert(all.end(), kept);
    return all;
  }

 private:
  static std::size_t product(const std::vector<std::size_t>& e) {
    std::size_t all = 1;
    for (const std::size_t n : e) all *= n;
    return all;
  }
};

/// A row-major result as [lines, kept...].
template <class T, std::size_t Rank>
view<T, Rank> rows_of(const ndarray& out, extents_type<Rank> extents) {
  return view<T, Rank>(static_cast<T*>(out.data()), extents);
}

window_spec window_of(nb::handle window) {
  if (nb::isinstance<nb::str>(window)) return parse_window(nb::cast<std::string>(window));
  // scipy's form: ("kaiser", 8.6)
  const auto [name, parameter] = nb::cast<std::pair<std::string, double>>(window);
  return {parse_window_kind(name), parameter};
}

/// Options of segments, and weights that are given as such.
struct segmenting {
  stft_options options;
  std::vector<double> weights;

  template <class Plan>
  Plan plan() const {
    return weights.empty() ? Plan(options) : Plan(options, weights);
  }
};

segmenting segmenting_of(std::size_t n_fft, std::optional<std::size_t> hop, nb::object window,
                         std::optional<std::size_t> window_length, bool center,
                         const std::string& padding, bool pad_end, const std::string& sides,
                         const std::string& scaling, double rate) {
  segmenting s;
  s.options = {.n_fft = n_fft,
               .hop = hop.value_or(n_fft / 4),
               .window_length = window_length.value_or(0),
               .centre = center,
               .padding = parse_edge_padding(padding),
               .pad_end = pad_end,
               .sides = parse_stft_sides(sides),
               .scaling = parse_stft_scaling(scaling),
               .rate_hz = rate};
  if (nb::isinstance<nb::str>(window) || nb::isinstance<nb::tuple>(window)) {
    s.options.window = window_of(window);
  } else {
    const ndarray w =
        ndarray::operand("stft: window", window, {false, real_type::double_precision});
    const lines_of<const double, 1> line("stft: window", w);
    for (std::size_t i = 0; i < line.lines.extent(1); ++i) s.weights.push_back(line.lines[0][i]);
  }
  return s;
}

/// A plan of float and of double, each made when it is first needed.
template <template <class> class Plan>
class plans_of {
 public:
  explicit plans_of(segmenting s) : segmenting_(std::move(s)) { plan<float>(); }

  template <class T>
  const Plan<T>& plan() {
    auto& p = std::get<std::optional<Plan<T>>>(plans_);
    if (!p) p.emplace(segmenting_.plan<Plan<T>>());
    return *p;
  }

 private:
  segmenting segmenting_;
  std::tuple<std::optional<Plan<float>>, std::optional<Plan<double>>> plans_;
};

class stft_plans : public plans_of<stft_plan> {
 public:
  using plans_of::plans_of;

  const stft_options& options() { return plan<float>().options(); }

  nb::object execute(nb::handle x, const std::string& result, std::optional<int> workers) {
    const ndarray in = ndarray::in_float_or_double("StftPlan.execute", x);
    if (in.type().is_complex)
      throw nb::type_error("StftPlan.execute: x must be real, got complex numbers");
    const int threads = workers_of(workers);
    return visit(in.type(), [&]<class T>(T) -> nb::object {
      const stft_plan<T>& p = plan<T>();
      const lines_of<const T, 1> signals("StftPlan.execute", in);
      const std::size_t segments = p.segments(signals.lines.extent(1)), bins = p.bins();
      const bool is_complex = result == "complex";
      const ndarray out =
          ndarray::uninitialized({is_complex, in.type().type}, signals.with({segments, bins}));
      const extents_type<3> extents{signals.lines.extent(0), segments, bins};
      if (out.size() == 0) return out.object();
      if (result != "complex" && result != "magnitude" && result != "power")
        throw invalid_argument(
            message("StftPlan.execute: result must be complex, magnitude or power, got ", result));
      {
        const nb::gil_scoped_release released;
        if (is_complex)
          p.execute(signals.lines, rows_of<std::complex<T>, 3>(out, extents), threads);
        else if (result == "magnitude")
          p.execute_magnitude(signals.lines, rows_of<T, 3>(out, extents), threads);
        else
          p.execute_power(signals.lines, rows_of<T, 3>(out, extents), threads);
      }
      return out.object();
    });
  }
};

class istft_plans : public plans_of<istft_plan> {
 public:
  using plans_of::plans_of;

  nb::object execute(nb::handle x, std::optional<std::size_t> length, std::optional<int> workers) {
    ndarray in = ndarray::in_float_or_double("IstftPlan.execute", x);
    if (!in.type().is_complex) in = fitted(in, in.extents(), in.type().complex());
    const int threads = workers_of(workers);
    return visit(in.type(), [&]<class T>(T) -> nb::object {
      using C = std::complex<T>;
      const istft_plan<T>& p = plan<T>();
      const lines_of<const C, 2> spectra("IstftPlan.execute", in);
      const std::size_t samples = length ? *length : p.samples(spectra.lines.extent(1));
      const ndarray out = ndarray::uninitialized(in.type().real(), spectra.with({samples}));
      if (out.size() == 0) return out.object();
      {
        const nb::gil_scoped_release released;
        p.execute(spectra.lines, rows_of<T, 2>(out, {spectra.lines.extent(0), samples}), threads);
      }
      return out.object();
    });
  }
};

/// stft_stream of one element type: blocks in, whole segments out.
template <class T>
class stream_of {
 public:
  stream_of(const segmenting& s, std::size_t channels)
      : stream_(s.plan<stft_plan<T>>(), channels), result_{true, real_type_of<T>} {}

  std::size_t channels() const { return stream_.channels(); }
  std::uint64_t segments() const { return stream_.segments(); }
  std::uint64_t received() const { return stream_.received(); }

  nb::object push(nb::handle block) {
    const ndarray in = ndarray::operand("StftStream.push", block, {false, real_type_of<T>});
    const std::size_t rank = in.rank();
    if (rank != 1 && rank != 2)
      throw shape_error(message("StftStream.push: 1 or 2 axes, got ", rank));
    const view<const T, 2> samples(static_cast<const T*>(in.data()),
                                   {in.extent(0), rank == 2 ? in.extent(1) : 1},
                                   {in.strides()[0], rank == 2 ? in.strides()[1] : 1});
    {
      const nb::gil_scoped_release released;
      stream_.push(samples, [this](std::uint64_t, view<std::complex<T>, 2> v) { add(v); });
    }
    return taken();
  }
  nb::object finish() {
    {
      const nb::gil_scoped_release released;
      stream_.finish([this](std::uint64_t, view<std::complex<T>, 2> v) { add(v); });
    }
    return taken();
  }
  void reset() {
    stream_.reset();
    values_.clear();
  }

 private:
  void add(view<std::complex<T>, 2> v) {
    for (std::size_t c = 0; c < v.extent(0); ++c)
      for (std::size_t k = 0; k < v.extent(1); ++k) values_.push_back(v[c][k]);
  }
  nb::object taken() {
    const std::size_t bins = stream_.plan().bins(), row = bins * channels();
    const std::size_t extents[] = {values_.size() / row, channels(), bins};
    const ndarray out = ndarray::uninitialized(result_, extents);
    std::ranges::copy(values_, static_cast<std::complex<T>*>(out.data()));
    values_.clear();
    return out.object();
  }

  stft_stream<T> stream_;
  element result_;
  std::vector<std::complex<T>> values_;
};

/// istft_stream of one element type: whole segments in, samples out.
template <class T>
class synthesis_of {
  using C = std::complex<T>;

 public:
  synthesis_of(const segmenting& s, std::size_t channels)
      : stream_(s.plan<istft_plan<T>>(), channels) {}

  std::size_t channels() const { return stream_.channels(); }
  std::uint64_t segments() const { return stream_.segments(); }
  std::uint64_t position() const { return stream_.position(); }

  nb::object push(nb::handle spectra) {
    const ndarray in = ndarray::operand("IstftStream.push", spectra, {true, real_type_of<T>});
    if (in.rank() != 3)
      throw shape_error(
          message("IstftStream.push: spectra must be [segments, channels, bins], got ", in.rank(),
                  " axes"));
    const view<const C, 3> by_channel(static_cast<const C*>(in.data()),
                                      {in.extent(1), in.extent(0), in.extent(2)},
                                      {in.strides()[1], in.strides()[0], in.strides()[2]});
    {
      const nb::gil_scoped_release released;
      stream_.push(by_channel, [this](view<const T, 2> v) { add(v); });
    }
    return taken();
  }
  nb::object finish(std::optional<std::uint64_t> samples) {
    {
      const nb::gil_scoped_release released;
      const auto sink = [this](view<const T, 2> v) { add(v); };
      samples ? stream_.finish(*samples, sink) : stream_.finish(sink);
    }
    return taken();
  }
  void reset() {
    stream_.reset();
    values_.clear();
  }

 private:
  void add(view<const T, 2> v) {
    for (std::size_t i = 0; i < v.extent(0); ++i)
      for (std::size_t c = 0; c < v.extent(1); ++c) values_.push_back(v[i][c]);
  }
  nb::object taken() {
    const std::size_t extents[] = {values_.size() / channels(), channels()};
    const ndarray out = ndarray::uninitialized({false, real_type_of<T>}, extents);
    std::ranges::copy(values_, static_cast<T*>(out.data()));
    values_.clear();
    return out.object();
  }

  istft_stream<T> stream_;
  std::vector<T> values_;
};

detrending detrending_of(const std::string& name) {
  if (name == "none") return detrending::none;
  if (name == "constant") return detrending::constant;
  if (name == "linear") return detrending::linear;
  throw invalid_argument(message("welch: detrend must be none, constant or linear, got ", name));
}

template <class T, std::size_t Rank>
ndarray copied(const array<T, Rank>& a, std::span<const std::size_t> extents) {
  const ndarray out = ndarray::uninitialized({false, real_type_of<T>}, extents);
  std::ranges::copy(a, static_cast<T*>(out.data()));
  return out;
}

nb::object welch_of(nb::handle x, double rate, nb::object window, std::size_t segment_length,
                    std::optional<std::size_t> overlap, std::size_t n_fft,
                    const std::string& detrend, bool one_sided, const std::string& scaling,
                    const std::string& average, std::optional<int> workers) {
  if (scaling != "density" && scaling != "spectrum")
    throw invalid_argument(message("welch: scaling must be density or spectrum, got ", scaling));
  if (average != "mean" && average != "median")
    throw invalid_argument(message("welch: average must be mean or median, got ", average));
  const welch_options options{
      .rate_hz = rate,
      .segment_length = segment_length,
      .overlap = overlap,
      .n_fft = n_fft,
      .window = window_of(window),
      .detrend = detrending_of(detrend),
      .scaling = scaling == "density" ? psd_scaling::density : psd_scaling::spectrum,
      .average = average == "mean" ? psd_average::mean : psd_average::median,
      .one_sided = one_sided};
  const ndarray in = ndarray::in_float_or_double("welch", x);
  if (in.type().is_complex) throw nb::type_error("welch: x must be real, got complex numbers");
  const int threads = workers_of(workers);
  return visit(in.type(), [&]<class T>(T) -> nb::object {
    const lines_of<const T, 1> signals("welch", in);
    array<T, 2> densities;
    {
      const nb::gil_scoped_release released;
      densities = welch<T>(signals.lines, options, threads);
    }
    return copied(densities, signals.with({densities.extent(1)})).object();
  });
}

/// mel_filterbank of float and of double.
class mel_filterbanks {
 public:
  mel_filterbanks(double rate, std::size_t n_fft, std::size_t bands, const std::string& scale,
                  std::optional<std::string> norm, double fmin, std::optional<double> fmax)
      : rate_(rate), n_fft_(n_fft) {
    if (scale != "slaney" && scale != "htk")
      throw invalid_argument(message("MelFilterbank: scale must be slaney or htk, got ", scale));
    if (norm && *norm != "slaney" && *norm != "none")
      throw invalid_argument(message("MelFilterbank: norm must be slaney or None, got ", *norm));
    options_ = {.bands = bands,
                .scale = scale == "htk" ? mel_scale::htk : mel_scale::slaney,
                .norm = norm && *norm == "slaney" ? mel_norm::slaney : mel_norm::none,
                .fmin_hz = fmin,
                .fmax_hz = fmax};
    of<float>();
  }

  template <class T>
  const mel_filterbank<T>& of() {
    auto& f = std::get<std::optional<mel_filterbank<T>>>(filters_);
    if (!f) f.emplace(rate_, n_fft_, options_);
    return *f;
  }

  nb::object apply(nb::handle power, std::optional<int> workers) {
    const ndarray in = ndarray::in_float_or_double("MelFilterbank.apply", power);
    if (in.type().is_complex)
      throw nb::type_error("MelFilterbank.apply: powers must be real, got complex numbers");
    const int threads = workers_of(workers);
    return visit(in.type(), [&]<class T>(T) -> nb::object {
      const mel_filterbank<T>& f = of<T>();
      const lines_of<const T, 1> rows("MelFilterbank.apply", in);
      const ndarray out = ndarray::uninitialized(in.type(), rows.with({f.bands()}));
      {
        const nb::gil_scoped_release released;
        f.apply(rows.lines, rows_of<T, 2>(out, {rows.lines.extent(0), f.bands()}), threads);
      }
      return out.object();
    });
  }
  nb::object dense() {
    const array<double, 2> weights = of<double>().dense();
    return copied(weights, weights.extents()).object();
  }

 private:
  double rate_;
  std::size_t n_fft_;
  mel_options options_;
  std::tuple<std::optional<mel_filterbank<float>>, std::optional<mel_filterbank<double>>> filters_;
};

decibel_options decibel_of_options(const std::string& of, std::optional<double> reference,
                                   std::optional<double> floor, std::optional<double> top_db) {
  if (of != "power" && of != "amplitude")
    throw invalid_argument(message("to_decibel: of must be power or amplitude, got ", of));
  return {.quantity = of == "power" ? decibel_of::power : decibel_of::amplitude,
          .reference = reference,
          .floor = floor,
          .top_db = top_db};
}

nb::object decibels(nb::handle x, const std::string& of, std::optional<double> reference,
                    std::optional<double> floor, std::optional<double> top_db) {
  const ndarray in = ndarray::in_float_or_double("to_decibel", x);
  if (in.type().is_complex) throw nb::type_error("to_decibel: values must be real");
  const ndarray out = ndarray::uninitialized(in.type(), in.extents());
  const decibel_options options = decibel_of_options(of, reference, floor, top_db);
  visit(in.type(), [&]<class T>(T) {
    const ndarray rows = contiguous(in);
    const nb::gil_scoped_release released;
    to_decibel<T>({static_cast<const T*>(rows.data()), rows.size()},
                  {static_cast<T*>(out.data()), out.size()}, options);
  });
  return out.object();
}

nb::object cepstra(nb::handle mel, std::size_t coefficients, double lifter,
                   std::optional<double> reference, std::optional<double> floor,
                   std::optional<double> top_db, std::optional<int> workers) {
  const ndarray in = ndarray::in_float_or_double("mfcc", mel);
  if (in.type().is_complex) throw nb::type_error("mfcc: powers must be real");
  const mfcc_options options{.coefficients = coefficients,
                             .decibel = decibel_of_options("power", reference, floor, top_db),
                             .lifter = lifter};
  const int threads = workers_of(workers);
  return visit(in.type(), [&]<class T>(T) -> nb::object {
    const lines_of<const T, 1> rows("mfcc", in);
    const mfcc_plan<T> plan(rows.lines.extent(1), options);
    const ndarray out = ndarray::uninitialized(in.type(), rows.with({coefficients}));
    {
      const nb::gil_scoped_release released;
      plan.execute(rows.lines, rows_of<T, 2>(out, {rows.lines.extent(0), coefficients}), threads);
    }
    return out.object();
  });
}

/// A feature of each segment of magnitudes [..., segments, bins].
template <class Feature>
nb::object feature(const char* function, nb::handle magnitude, const Feature& f) {
  const ndarray in = ndarray::in_float_or_double(function, magnitude);
  if (in.type().is_complex)
    throw nb::type_error(message(function, ": magnitudes must be real").c_str());
  return visit(in.type(), [&]<class T>(T) -> nb::object {
    const lines_of<const T, 1> rows(function, in);
    array<T, 1> values;
    {
      const nb::gil_scoped_release released;
      values = f(rows.lines);
    }
    return copied(values, rows.leading).object();
  });
}

nb::object gated(nb::handle spectra, nb::handle noise, double threshold_db, double reduction_db,
                 std::size_t bins, std::size_t segments) {
  const ndarray in = ndarray::in_float_or_double("spectral_gate", spectra);
  if (!in.type().is_complex || in.rank() != 2)
    throw shape_error("spectral_gate: spectra must be complex, of shape [segments, bins]");
  const ndarray power = contiguous(ndarray::operand("spectral_gate", noise, in.type().real()));
  const ndarray out = ndarray::uninitialized(in.type(), in.extents());
  visit(in.type(), [&]<class T>(T) {
    using C = std::complex<T>;
    const lines_of<const C, 2> all("spectral_gate", in);
    const nb::gil_scoped_release released;
    apply_spectral_gate<T>(all.lines[0], {static_cast<const T*>(power.data()), power.size()},
                           rows_of<C, 2>(out, {in.extent(0), in.extent(1)}),
                           {threshold_db, reduction_db, bins, segments});
  });
  return out.object();
}

nb::object noise_of(nb::handle spectra, std::optional<double> quantile) {
  const ndarray in = ndarray::in_float_or_double("noise_profile", spectra);
  if (!in.type().is_complex || in.rank() != 2)
    throw shape_error("noise_profile: spectra must be complex, of shape [segments, bins]");
  return visit(in.type(), [&]<class T>(T) -> nb::object {
    using C = std::complex<T>;
    const ndarray rows = contiguous(in);
    array<T, 1> power;
    {
      const nb::gil_scoped_release released;
      noise_profile<T> profile(in.extent(1));
      for (std::size_t s = 0; s < in.extent(0); ++s)
        profile.add({static_cast<const C*>(rows.data()) + s * in.extent(1), in.extent(1)});
      power = quantile ? profile.from_quantile(*quantile) : profile.mean();
    }
    return copied(power, power.extents()).object();
  });
}

nb::object weights_of(nb::object window, std::size_t n, bool symmetric) {
  const array<double, 1> w = make_window<double>(
      window_of(window), n, symmetric ? window_symmetry::symmetric : window_symmetry::periodic);
  return copied(w, w.extents()).object();
}

std::vector<std::pair<double, double>> peaks_of(nb::handle power, double rate, std::size_t n_fft,
                                                nb::object window, std::size_t count,
                                                double separation, double range_db) {
  const ndarray p =
      contiguous(ndarray::operand("find_peaks", power, {false, real_type::double_precision}));
  stft_options options{.n_fft = n_fft, .window = window_of(window)};
  std::vector<std::pair<double, double>> peaks;
  for (const spectral_peak& peak : find_peaks({static_cast<const double*>(p.data()), p.size()},
                                              options, rate, count, separation, range_db))
    peaks.emplace_back(peak.frequency_hz, peak.power);
  return peaks;
}

template <class T>
void define_stream(nb::module_& m, const char* name) {
  nb::class_<stream_of<T>>(m, name)
      .def("push", &stream_of<T>::push, nb::arg("block"))
      .def("finish", &stream_of<T>::finish)
      .def("reset", &stream_of<T>::reset)
      .def_prop_ro("channels", &stream_of<T>::channels)
      .def_prop_ro("segments", &stream_of<T>::segments)
      .def_prop_ro("received", &stream_of<T>::received);
}

template <class T>
void define_synthesis(nb::module_& m, const char* name) {
  nb::class_<synthesis_of<T>>(m, name)
      .def("push", &synthesis_of<T>::push, nb::arg("spectra"))
      .def("finish", &synthesis_of<T>::finish, nb::arg("samples") = nb::none())
      .def("reset", &synthesis_of<T>::reset)
      .def_prop_ro("channels", &synthesis_of<T>::channels)
      .def_prop_ro("segments", &synthesis_of<T>::segments)
      .def_prop_ro("position", &synthesis_of<T>::position);
}

/// The class of float or of double.
template <template <class> class Stream>
nb::object stream(const segmenting& s, std::size_t channels, bool in_double) {
  constexpr auto owned = nb::rv_policy::take_ownership;
  return in_double ? nb::cast(new Stream<double>(s, channels), owned)
                   : nb::cast(new Stream<float>(s, channels), owned);
}

}  // namespace

void define_signals(nb::module_& m) {
  nb::class_<segmenting>(m, "Segments")
      .def(nb::new_(&segmenting_of), nb::arg("n_fft") = 2048, nb::arg("hop") = nb::none(),
           nb::arg("window") = "hann", nb::arg("window_length") = nb::none(),
           nb::arg("center") = true, nb::arg("padding") = "zero", nb::arg("pad_end") = false,
           nb::arg("sides") = "one", nb::arg("scaling") = "none", nb::arg("rate") = 1.0)
      .def_prop_ro("n_fft", [](const segmenting& s) { return s.options.n_fft; })
      .def_prop_ro("hop", [](const segmenting& s) { return s.options.hop; });
  nb::class_<stft_plans>(m, "StftPlan")
      .def(nb::init<segmenting>(), nb::arg("segments"))
      .def("execute", &stft_plans::execute, nb::arg("x"), nb::arg("result") = "complex",
           nb::arg("workers") = nb::none())
      .def(
          "segments", [](stft_plans& p, std::uint64_t n) { return p.plan<float>().segments(n); },
          nb::arg("samples"))
      .def_prop_ro("bins", [](stft_plans& p) { return p.plan<float>().bins(); })
      .def_prop_ro("n_fft", [](stft_plans& p) { return p.options().n_fft; })
      .def_prop_ro("hop", [](stft_plans& p) { return p.options().hop; })
      .def_prop_ro("window", [](stft_plans& p) {
        const auto w = p.plan<double>().window();
        const std::size_t extents[] = {w.size()};
        const ndarray out = ndarray::uninitialized({false, real_type::double_precision}, extents);
        std::ranges::copy(w, static_cast<double*>(out.data()));
        return out.object();
      });
  nb::class_<istft_plans>(m, "IstftPlan")
      .def(nb::init<segmenting>(), nb::arg("segments"))
      .def("execute", &istft_plans::execute, nb::arg("spectra"), nb::arg("length") = nb::none(),
           nb::arg("workers") = nb::none());
  define_stream<float>(m, "StftStreamFloat");
  define_stream<double>(m, "StftStreamDouble");
  define_synthesis<float>(m, "IstftStreamFloat");
  define_synthesis<double>(m, "IstftStreamDouble");
  m.def("stft_stream", &stream<stream_of>);
  m.def("istft_stream", &stream<synthesis_of>);
  m.def("welch", &welch_of);
  m.def("make_window", &weights_of);
  nb::class_<mel_filterbanks>(m, "MelFilterbank")
      .def(nb::init<double, std::size_t, std::size_t, const std::string&,
                    std::optional<std::string>, double, std::optional<double>>(),
           nb::arg("rate"), nb::arg("n_fft"), nb::arg("bands") = 128, nb::arg("scale") = "slaney",
           nb::arg("norm").none() = "slaney", nb::arg("fmin") = 0.0, nb::arg("fmax") = nb::none())
      .def("apply", &mel_filterbanks::apply, nb::arg("power"), nb::arg("workers") = nb::none())
      .def("dense", &mel_filterbanks::dense)
      .def_prop_ro("bands", [](mel_filterbanks& f) { return f.of<float>().bands(); })
      .def_prop_ro("edges_hz", [](mel_filterbanks& f) {
        const auto e = f.of<double>().edges_hz();
        return std::vector<double>(e.begin(), e.end());
      });
  m.def("to_decibel", &decibels);
  m.def("mfcc", &cepstra);
  m.def("spectral_centroid", [](nb::handle s, double bin_hz) {
    return feature("spectral_centroid", s,
                   [=](const auto& v) { return spectral_centroid(v, bin_hz); });
  });
  m.def("spectral_bandwidth", [](nb::handle s, double bin_hz, double p) {
    return feature("spectral_bandwidth", s,
                   [=](const auto& v) { return spectral_bandwidth(v, bin_hz, p); });
  });
  m.def("spectral_rolloff", [](nb::handle s, double bin_hz, double share) {
    return feature("spectral_rolloff", s,
                   [=](const auto& v) { return spectral_rolloff(v, bin_hz, share); });
  });
  m.def("spectral_flatness", [](nb::handle s, double floor) {
    return feature("spectral_flatness", s,
                   [=](const auto& v) { return spectral_flatness(v, floor); });
  });
  m.def("spectral_rms", [](nb::handle s, std::size_t n_fft) {
    return feature("spectral_rms", s, [=](const auto& v) { return spectral_rms(v, n_fft); });
  });
  m.def("spectral_gate", &gated);
  m.def("noise_profile", &noise_of);
  m.def("find_peaks", &peaks_of);
}

}  // namespace papilio::python
