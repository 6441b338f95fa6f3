#include "cli/istft.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "cli/sound_verb.hpp"
#include "cli/stft_flags.hpp"
#include "papilio/io.hpp"

namespace papilio::cli {
namespace {

json_value parse_description(const std::string& path) {
  if (!std::filesystem::is_regular_file(path))
    throw io_error(
        path,
        "the description of the spectra is not there; tell them with --rate, --n-fft, --hop, ...");
  constexpr std::size_t most_bytes = std::size_t{1} << 16;
  return read_json_object(path, most_bytes);
}

/// The values of an object, each of which must be there and of its kind.
class description_reader {
 public:
  description_reader(std::string path, json_value object)
      : path_(std::move(path)), object_(std::move(object)) {}

  std::uint64_t whole(const char* key, std::uint64_t low, std::uint64_t high) const {
    const json_value& value = at(key);
    if (!value.is_number_unsigned() || value.whole() < low || value.whole() > high)
      fail(fmt::format("\"{}\" must be a whole number from {} to {}", key, low, high));
    return value.whole();
  }
  bool truth(const char* key) const {
    if (!at(key).is_boolean()) fail(fmt::format("\"{}\" must be true or false", key));
    return at(key).truth();
  }
  std::string word(const char* key) const {
    if (!at(key).is_string()) fail(fmt::format("\"{}\" must be a text", key));
    return at(key).text();
  }
  template <class Value>
  Value word_as(const char* key, Value (*parse)(std::string_view)) const {
    try {
      return parse(word(key));
    } catch (const invalid_argument&) {
      fail(fmt::format("\"{}\" is \"{}\", which is not known", key, word(key)));
    }
  }
  const json_value& at(const char* key) const {
    const json_value* const found = object_.find(key);
    if (found == nullptr) fail(fmt::format("\"{}\" is missing", key));
    return *found;
  }
  [[noreturn]] void fail(const std::string& reason) const { throw io_error(path_, reason); }

 private:
  std::string path_;
  json_value object_;
};

}  // namespace

std::filesystem::path description_of(const std::filesystem::path& npy) {
  return npy.string() + ".json";
}

spectra_description read_description(const std::filesystem::path& npy,
                                     const std::vector<std::uint64_t>& extents,
                                     const std::string& element_type) {
  const std::string path = description_of(npy).string();
  const description_reader d(path, parse_description(path));
  if (d.word("what") != "stft") d.fail("it describes no short-time spectra");
  if (d.word("form") != "complex")
    d.fail(fmt::format("the form is {}; only complex spectra have an inverse", d.word("form")));
  if (d.at("shape") != json_value(extents) || d.word("element_type") != element_type)
    d.fail("it describes another array than the NPY beside it");
  spectra_description result;
  result.rate_hz = static_cast<int>(d.whole("rate_hz", 1, highest_rate_hz));
  result.frames = d.whole("frames", 1, std::uint64_t{1} << 48);
  stft_options& o = result.options;
  o.n_fft = d.whole("n_fft", 1, max_n_fft);
  o.hop = d.whole("hop", 1, 1000000000000);
  o.window = d.word_as<window_spec>("window", parse_window);
  o.window_length = d.whole("window_length", 0, o.n_fft);
  o.centre = d.truth("centre");
  o.padding = d.word_as<edge_padding>("padding", parse_edge_padding);
  o.pad_end = d.truth("pad_end");
  o.scaling = d.word_as<stft_scaling>("scaling", parse_stft_scaling);
  o.rate_hz = result.rate_hz;
  return result;
}

namespace istft_parts {
namespace {

struct arguments {
  std::optional<int> rate_hz;
  std::optional<std::size_t> length;
  stft_flags segments;
  sound_output_flags output;
  std::vector<option> segment_flags;

  void add_to(command& verb) {
    verb.add({{"--rate", rate_hz,
               "Samples per second, Hz; the flags of segments then describe the spectra, and\n"
               "FILE.json is not read",
               whole_number_from(1, highest_rate_hz)},
              {"--length", length,
               "Samples of the output [as FILE.json says; else all that the segments stand for]",
               whole_number_from(1, std::uint64_t{1} << 48)}});
    segments.add_to(verb);
    for (const option& each : verb.options())
      if (each.group() == stft_flags::group) segment_flags.push_back(each);
    output.add_to(verb);
  }
};

struct spectra_shape {
  std::size_t channels = 0, bins = 0;
  std::uint64_t segments = 0;
};

spectra_shape shape_of(const std::string& name, const npy_reader& npy) {
  const std::vector<std::uint64_t>& e = npy.extents();
  if (e.size() != 2 && e.size() != 3)
    throw bad_file(name,
                   "its shape must be [segments, bins] or [channels, segments, bins], got rank {}",
                   e.size());
  const std::uint64_t channels = e.size() == 3 ? e[0] : 1;
  if (channels < 1 || channels > most_channels)
    throw bad_file(name, "its channels must be from 1 to {}, got {}", most_channels, channels);
  if (npy.size() == 0) throw io_error(name, "it has no segments");
  if (!npy.holds<std::complex<float>>() && !npy.holds<std::complex<double>>())
    throw bad_file(
        name, "its elements are \"{}\"; only complex spectra, \"<c8\" or \"<c16\", have an inverse",
        npy.element_type());
  return {static_cast<std::size_t>(channels), static_cast<std::size_t>(e.back()), e[e.size() - 2]};
}

void require_bins(const std::string& name, const spectra_shape& shape, std::size_t n_fft) {
  constexpr std::size_t most_samples = std::size_t{1} << 26;
  if (shape.bins != n_fft / 2 + 1)
    throw bad_file(name, "it has {}, and n_fft {} makes {}", counted(shape.bins, "bin"), n_fft,
                   n_fft / 2 + 1);
  if (shape.channels > most_samples / n_fft)
    throw bad_file(name, "n_fft {} over {} channels at once takes too much memory", n_fft,
                   shape.channels);
}

template <class T>
void require_numbers(const std::string& name, std::uint64_t first, view<const T, 2> samples) {
  for (std::size_t c = 0; c < samples.extent(1); ++c)
    for (std::size_t i = 0; i < samples.extent(0); ++i)
      if (!std::isfinite(samples(i, c)))
        throw bad_file(name,
                       "frame {} of channel {} would be {}: the spectra hold "
                       "what is no number, or is beyond all bounds",
                       first + i, c + 1, samples(i, c));
}

template <class T>
void synthesise(const std::string& file, const npy_reader& npy, const spectra_shape& shape,
                const stft_options& options, std::uint64_t frames, const on_progress& progress,
                sound_writer& writer) {
  istft_stream<T> stream(options, shape.channels);
  const std::size_t segment_bytes = shape.channels * shape.bins * sizeof(std::complex<T>);
  const std::size_t held = std::max<std::size_t>(1, (std::size_t{1} << 22) / segment_bytes);
  array<std::complex<T>, 3> spectra({shape.channels, held, shape.bins});
  // The segments may stand for more than is wanted.
  const auto keep = [&](view<const T, 2> samples) {
    const std::uint64_t rest = frames - std::min(frames, stream.position());
    samples = samples.slice(
        0, 0, static_cast<std::size_t>(std::min<std::uint64_t>(rest, samples.extent(0))));
    require_numbers(file, stream.position(), samples);
    writer.write(samples);
  };
  for (std::uint64_t s = 0; s < shape.segments;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(held, shape.segments - s));
    for (std::size_t c = 0; c < shape.channels; ++c)
      npy.read((c * shape.segments + s) * shape.bins,
               std::span<std::complex<T>>(&spectra(c, 0u, 0u), count * shape.bins));
    stream.push(view<const std::complex<T>, 3>(spectra.view().slice(1, 0, count)), keep);
    s += count;
    progress(s, shape.segments);
  }
  if (writer.frames() < frames) stream.finish(frames, keep);
}

std::optional<spectra_description> description_given(const arguments& args) {
  if (!args.rate_hz) {
    for (const option& flag : args.segment_flags)
      if (flag.given())
        throw usage_error(
            "{}: describes the spectra, which then takes --rate as well, and all that is not as "
            "the defaults",
            flag.name());
    return std::nullopt;
  }
  spectra_description d;
  d.rate_hz = *args.rate_hz;
  d.options = args.segments.options(d.rate_hz);
  require_inverse(d.options);
  return d;
}

report report_of(const std::string& npy, const output& out, const spectra_description& d,
                 std::uint64_t segments, const sound_writer& writer) {
  const stft_options& o = d.options;
  report made;
  made.line("npy", "{}", npy)
      .line("spectra", "{}, {}, scaling {}", counted(segments, "segment"), segments_text(o),
            to_string(o.scaling))
      .fields("npy", npy, "out", out.name.string())
      .add(segments_fields(segments, o))
      .fields("scaling", to_string(o.scaling), "rate_hz", writer.options().rate_hz, "channels",
              writer.options().channels, "frames", writer.frames());
  add_written(made, out, writer);
  return made;
}

/// Sound from the complex spectra of an NPY, [segments, bins] or [channels, segments, bins], in
/// memory that does not depend on their number. Without a description, that in the file beside it.
report write_istft(const arguments& args, const std::optional<spectra_description>& description,
                   const file_request& of) {
  const std::string& file = of.file;
  const output& out = of.outs.front();
  if (file == "-") throw usage_error("FILE: must name a file, not standard input");
  const npy_reader npy(file);
  const spectra_shape shape = shape_of(file, npy);
  const spectra_description d =
      description ? *description : read_description(file, npy.extents(), npy.element_type());
  require_bins(file, shape, d.options.n_fft);
  const std::uint64_t frames =
      args.length ? *args.length
                  : d.frames.value_or(istft_plan<float>(d.options).samples(shape.segments));
  if (frames == 0) throw io_error(file, "its segments stand for no samples");
  sound_writer_options output = args.output.options(out.kind);
  output.rate_hz = d.rate_hz;
  output.channels = static_cast<int>(shape.channels);
  if (out.to_standard_output()) output.frames = frames;
  sound_writer writer(out.name, output);
  const auto run = npy.holds<std::complex<float>>() ? synthesise<float> : synthesise<double>;
  try {
    run(file, npy, shape, d.options, frames, of.progress, writer);
  } catch (const shape_error& e) {
    throw bad_file(file, "{} are not enough for {}: {}", counted(shape.segments, "segment"),
                   counted(frames, "frame"), e.what());
  }
  writer.commit();
  return report_of(file, out, d, shape.segments, writer);
}

file_task task_of(arguments& args, const output_flags& outputs) {
  args.output.require_fit(outputs);
  return [&args, description = description_given(args)](const file_request& of) {
    return write_istft(args, description, of);
  };
}

}  // namespace
}  // namespace istft_parts

void add_istft(program& app) {
  sound_verb of("istft", "Make a sound file from its short-time Fourier transform");
  of.outputs = sound_kinds("-istft");
  of.out_help = sound_out_help("-istft");
  of.prepare = prepared_by(istft_parts::task_of);
  of.footer =
      R"(The sound whose segments differ least, in the sum of squares, from those given; for what
papilio stft made it is the sound itself but for rounding (2e-7 in float), in its own
length. How the spectra were made is read in FILE.json, which papilio stft leaves, or told
by --rate and the flags of segments; it is never guessed.
FILE: complex64 or complex128, C order, 0 Hz first, n_fft / 2 + 1 bins. Samples beyond full
scale are clipped and counted, but in f32 and f64. Memory does not depend on the length.)";
  of.examples.emplace_back("papilio istft song.npy", "writes song-istft.wav");
  of.examples.emplace_back("papilio istft song.npy -o again.wav",
                           "the inverse of papilio stft song.flac -o song.npy");
  of.in_batch = false;
  of.files_help = "NPY of complex spectra, [segments, bins] or [channels, segments, bins]";
  add_sound_verb(app, of);
}

}  // namespace papilio::cli
