// papilio.signal: what takes signals, or segments, block by block.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adopted.hpp"
#include "exclusively.hpp"
#include "lines.hpp"
#include "module.hpp"
#include "narrowed.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal.hpp"
#include "segments.hpp"

namespace papilio::python {
namespace {

using base_detail::message;

/// [samples, channels] of a block [samples] or [samples, channels].
template <class T>
view<const T, 2> frames_of(const char* function, const ndarray& block) {
  const std::size_t rank = block.rank();
  if (rank != 1 && rank != 2)
    throw shape_error(message(function, ": block must have 1 or 2 axes, got ", rank));
  return {static_cast<const T*>(block.data()),
          {block.extent(0), rank == 2 ? block.extent(1) : 1},
          {block.strides()[0], rank == 2 ? block.strides()[1] : 1}};
}

/// stft_stream of one element type: blocks in, whole segments out.
template <class T>
class stream_of {
 public:
  stream_of(const segmenting& s, std::size_t channels)
      : stream_(s.plan<stft_plan<T>>(), channels), result_{true, real_type_of<T>} {}

  std::size_t channels() const { return stream_.channels(); }
  std::uint64_t segments() const { return stream_.segments(); }
  std::uint64_t received() const { return stream_.received(); }

  numpy_array push(nb::handle block) {
    const ndarray in =
        ndarray::operand("StftStream.push", block, {false, real_type_of<T>}, "block");
    const exclusively held(mutex_);
    const view<const T, 2> samples = frames_of<T>("StftStream.push", in);
    {
      const without_gil released;
      stream_.push(samples, [this](std::uint64_t, view<std::complex<T>, 2> v) { add(v); });
    }
    return taken();
  }
  numpy_array finish() {
    const exclusively held(mutex_);
    {
      const without_gil released;
      stream_.finish([this](std::uint64_t, view<std::complex<T>, 2> v) { add(v); });
    }
    return taken();
  }
  void reset() {
    const exclusively held(mutex_);
    stream_.reset();
    values_.clear();
  }

 private:
  void add(view<std::complex<T>, 2> v) {
    for (std::size_t c = 0; c < v.extent(0); ++c)
      for (std::size_t k = 0; k < v.extent(1); ++k) values_.push_back(v[c][k]);
  }
  numpy_array taken() {
    const std::size_t bins = stream_.plan().bins(), row = bins * channels();
    const std::size_t extents[] = {values_.size() / row, channels(), bins};
    const ndarray out = ndarray::uninitialized(result_, extents);
    std::ranges::copy(values_, static_cast<std::complex<T>*>(out.data()));
    values_.clear();
    return out.object();
  }

  std::mutex mutex_;
  stft_stream<T> stream_;
  element result_;
  std::vector<std::complex<T>> values_;
};

/// istft_stream of one element type: whole segments in, samples out.
template <class T>
class synthesis_of {
  using C = std::complex<T>;

 public:
  synthesis_of(const segmenting& s, std::size_t channels, std::uint64_t first)
      : stream_(s.plan<istft_plan<T>>(), channels, first) {}

  std::size_t channels() const { return stream_.channels(); }
  std::uint64_t segments() const { return stream_.segments(); }
  std::uint64_t position() const { return stream_.position(); }

  numpy_array push(nb::handle spectra) {
    const ndarray in =
        ndarray::operand("IstftStream.push", spectra, {true, real_type_of<T>}, "spectra");
    const exclusively held(mutex_);
    if (in.rank() != 3)
      throw shape_error(
          message("IstftStream.push: spectra must be [segments, channels, bins], got ", in.rank(),
                  " axes"));
    const view<const C, 3> by_channel(static_cast<const C*>(in.data()),
                                      {in.extent(1), in.extent(0), in.extent(2)},
                                      {in.strides()[1], in.strides()[0], in.strides()[2]});
    {
      const without_gil released;
      stream_.push(by_channel, [this](view<const T, 2> v) { add(v); });
    }
    return taken();
  }
  numpy_array finish(std::optional<std::uint64_t> samples) {
    const exclusively held(mutex_);
    {
      const without_gil released;
      const auto sink = [this](view<const T, 2> v) { add(v); };
      samples ? stream_.finish(*samples, sink) : stream_.finish(sink);
    }
    return taken();
  }
  void reset() {
    const exclusively held(mutex_);
    stream_.reset();
    values_.clear();
  }

 private:
  void add(view<const T, 2> v) {
    for (std::size_t i = 0; i < v.extent(0); ++i)
      for (std::size_t c = 0; c < v.extent(1); ++c) values_.push_back(v[i][c]);
  }
  numpy_array taken() {
    const std::size_t extents[] = {values_.size() / channels(), channels()};
    const ndarray out = ndarray::uninitialized({false, real_type_of<T>}, extents);
    std::ranges::copy(values_, static_cast<T*>(out.data()));
    values_.clear();
    return out.object();
  }

  std::mutex mutex_;
  istft_stream<T> stream_;
  std::vector<T> values_;
};

/// welch_stream of one element type.
template <class T>
class density_of {
 public:
  explicit density_of(const welch_options& options) : stream_(options) {}

  void push(nb::handle samples) {
    const ndarray in =
        ndarray::operand("WelchStream.push", samples, {false, real_type_of<T>}, "samples");
    const exclusively held(mutex_);
    if (in.rank() != 1)
      throw shape_error(message("WelchStream.push: samples must have 1 axis, got ", in.rank()));
    std::vector<T> copy;
    const without_gil released;
    stream_.push(gapless(
        view<const T, 1>(static_cast<const T*>(in.data()), {in.extent(0)}, {in.strides()[0]}),
        copy));
  }
  numpy_array result() {
    const exclusively held(mutex_);
    array<double, 1> powers = stream_.result_in_double();
    const std::vector<std::size_t> shape{powers.size()};
    return std::is_same_v<T, float> ? narrowed(std::move(powers), shape)
                                    : adopted(std::move(powers), shape);
  }
  std::uint64_t segments() const { return stream_.segments(); }
  void reset() {
    const exclusively held(mutex_);
    stream_.reset();
  }

 private:
  std::mutex mutex_;
  welch_stream<T> stream_;
};

/// pooled_spectrogram of floats.
class pooled {
 public:
  pooled(const segmenting& s, std::uint64_t samples, double rate, std::size_t channels,
         std::size_t rows, std::size_t columns, const std::string& pool,
         const std::optional<std::string>& axis, std::optional<double> fmin,
         std::optional<double> fmax)
      : rate_hz_(rate),
        made_(options_of(s, samples, rate, channels, rows, columns, pool, axis, fmin, fmax)) {}

  void push(nb::handle block) {
    const ndarray in = ndarray::operand("PooledSpectrogram.push", block,
                                        {false, real_type::single_precision}, "block");
    const exclusively held(mutex_);
    const without_gil released;
    made_.push(frames_of<float>("PooledSpectrogram.push", in));
  }
  void finish() {
    const exclusively held(mutex_);
    const without_gil released;
    made_.finish();
  }
  numpy_array levels() {
    const exclusively held(mutex_);
    const view<const double, 2> from = made_.levels();
    array<double, 1> copy(from.size());
    std::copy_n(from.data(), from.size(), copy.data());
    return narrowed(std::move(copy), {from.extent(0), from.extent(1)});
  }
  numpy_array times() {
    const exclusively held(mutex_);
    array<double, 1> seconds(made_.levels().extent(1));
    for (std::size_t c = 0; c < seconds.size(); ++c)
      seconds[c] = made_.columns().sample(c) / rate_hz_;
    return adopted(std::move(seconds));
  }
  numpy_array mean_power() {
    const exclusively held(mutex_);
    array<double, 1> copy(made_.mean_power().size());
    std::ranges::copy(made_.mean_power(), copy.data());
    return adopted(std::move(copy));
  }

 private:
  static pooled_spectrogram_options options_of(const segmenting& s, std::uint64_t samples,
                                               double rate, std::size_t channels, std::size_t rows,
                                               std::size_t columns, const std::string& pool,
                                               const std::optional<std::string>& axis,
                                               std::optional<double> fmin,
                                               std::optional<double> fmax) {
    if (!s.weights.empty())
      throw invalid_argument("PooledSpectrogram: window must be a name, got weights");
    if (pool != "maximum" && pool != "mean")
      throw invalid_argument(
          message("PooledSpectrogram: pool must be maximum or mean, got ", pool));
    if (!axis && (fmin || fmax))
      throw invalid_argument("PooledSpectrogram: fmin and fmax need a frequency_axis, got None");
    pooled_spectrogram_options options{.stft = s.options,
                                       .channels = channels,
                                       .samples = samples,
                                       .rows = rows,
                                       .columns = columns,
                                       .pool = pool == "mean" ? pooling::mean : pooling::maximum,
                                       .rate_hz = rate};
    if (axis) {
      options.axis =
          spectrogram_axis(frequency_scale_named(*axis), rate, options.stft.n_fft, fmin, fmax);
    }
    return options;
  }

  std::mutex mutex_;
  double rate_hz_;
  pooled_spectrogram made_;
};

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

template <class T>
void define_density(nb::module_& m, const char* name) {
  nb::class_<density_of<T>>(m, name)
      .def("push", &density_of<T>::push, nb::arg("samples"))
      .def("result", &density_of<T>::result)
      .def("reset", &density_of<T>::reset)
      .def_prop_ro("segments", &density_of<T>::segments);
}

}  // namespace

void define_streams(nb::module_& m) {
  define_stream<float>(m, "StftStreamFloat");
  define_stream<double>(m, "StftStreamDouble");
  define_synthesis<float>(m, "IstftStreamFloat");
  define_synthesis<double>(m, "IstftStreamDouble");
  define_density<float>(m, "WelchStreamFloat");
  define_density<double>(m, "WelchStreamDouble");
  m.def(
      "stft_stream",
      [](const segmenting& s, std::size_t channels, bool in_double) {
        return made<stream_of>(in_double, s, channels);
      },
      nb::arg("segments"), nb::arg("channels"), nb::arg("in_double"));
  m.def(
      "istft_stream",
      [](const segmenting& s, std::size_t channels, std::uint64_t first, bool in_double) {
        return made<synthesis_of>(in_double, s, channels, first);
      },
      nb::arg("segments"), nb::arg("channels"), nb::arg("first"), nb::arg("in_double"));
  m.def(
      "welch_stream",
      [](double rate, nb::object window, std::size_t segment_length,
         std::optional<std::size_t> overlap, std::size_t n_fft, const std::string& detrend,
         bool one_sided, const std::string& scaling, const std::string& average, bool in_double) {
        return made<density_of>(
            in_double, welch_options_of(rate, window, segment_length, overlap, n_fft, detrend,
                                        one_sided, scaling, average));
      },
      nb::arg("rate"), nb::arg("window"), nb::arg("segment_length"), nb::arg("overlap").none(),
      nb::arg("n_fft"), nb::arg("detrend"), nb::arg("one_sided"), nb::arg("scaling"),
      nb::arg("average"), nb::arg("in_double"));
  nb::class_<pooled>(m, "PooledSpectrogram")
      .def(nb::init<const segmenting&, std::uint64_t, double, std::size_t, std::size_t, std::size_t,
                    const std::string&, const std::optional<std::string>&, std::optional<double>,
                    std::optional<double>>(),
           nb::arg("segments"), nb::arg("samples"), nb::arg("rate"), nb::arg("channels"),
           nb::arg("rows"), nb::arg("columns"), nb::arg("pool"), nb::arg("frequency_axis").none(),
           nb::arg("fmin").none(), nb::arg("fmax").none())
      .def("push", &pooled::push, nb::arg("block"))
      .def("finish", &pooled::finish)
      .def_prop_ro("levels", &pooled::levels)
      .def_prop_ro("times", &pooled::times)
      .def_prop_ro("mean_power", &pooled::mean_power);
}

}  // namespace papilio::python
