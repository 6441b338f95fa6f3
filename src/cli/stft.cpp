#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "cli/istft.hpp"
#include "cli/own_files.hpp"
#include "cli/sound_verb.hpp"
#include "cli/stft_flags.hpp"
#include "io/npy_channels.hpp"
#include "signal/wide_spectrum.hpp"

namespace papilio::cli {

namespace {
namespace stft_parts {

struct arguments {
  std::string form = "complex";
  std::optional<double> floor_db;
  stft_flags segments;
  excerpt_request part;
  sound_flags sound;

  void add_to(command& verb) {
    verb.add({{"--form", form,
               "Value of each bin X: complex X, magnitude |X|, power |X|^2, or db 10 log10 |X|^2",
               one_of({"complex", "magnitude", "power", "db"})},
              {"--floor", floor_db, "Lowest level of the form db, dB [-120]",
               number_from(-1000, 1000)}});
    part.add_to(verb, "all");
    segments.add_to(verb);
    sound.add_to(verb);
  }
};

/// One run over one file.
struct work {
  const arguments& args;
  std::filesystem::path out;
  spectrum_form form;
  excerpt_reader reader;
  stft_options options = {};
  std::vector<std::uint64_t> extents = {};  ///< [segments, bins], or [channels, segments, bins]
  std::uint64_t vanished = 0;  ///< segments that are not silent, but as powers in float

  float floor_db() const { return static_cast<float>(args.floor_db.value_or(-120)); }
  std::uint64_t segments() const { return extents[extents.size() - 2]; }
};

spectrum_form form_named(const std::string& word) {
  if (word == "magnitude") return spectrum_form::magnitude;
  if (word == "power") return spectrum_form::power;
  return word == "db" ? spectrum_form::decibel : spectrum_form::complex;
}

/// Never the description of one array beside another.
void remove_description(const std::filesystem::path& description) {
  std::error_code none;
  if (std::filesystem::is_regular_file(std::filesystem::symlink_status(description, none)))
    std::filesystem::remove(description, none);
}

/// Values that need not be floats, as the floats of a form; those of the form db always are.
template <class Wide, class Value>
void narrow(work& w, const std::string& file, std::span<const Wide> wide, std::span<Value> out) {
  if constexpr (std::is_same_v<Value, float>)
    if (w.form == spectrum_form::decibel) return power_to_db(wide, out, 1.0, w.floor_db());
  const bool is_magnitude = w.form == spectrum_form::magnitude;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Wide value = is_magnitude ? std::sqrt(wide[k]) : wide[k];
    if (!(std::abs(value) <= std::numeric_limits<float>::max()))
      throw bad_file(file,
                     "--form {}: its samples are so large that a value, {:.3g}, is beyond a float; "
                     "--form db has its level",
                     w.args.form, std::abs(value));
    out[k] = static_cast<Value>(value);
  }
  const auto is_something = [](auto value) { return std::abs(value) > 0; };
  if (std::ranges::none_of(out, is_something) && std::ranges::any_of(wide, is_something))
    ++w.vanished;
}

/// The whole of one run over the excerpt; false if it came out shorter than it was thought to be.
/// `describe` writes the description before the array has its name, so that a full disk leaves both
/// or neither.
template <class Value>
bool write_spectra(work& w, const std::string& file, const stft_plan<float>& plan,
                   function_ref<void()> describe,
                   void (stft_stream<float>::*push)(view<const float, 2>, segment_sink<Value>),
                   void (stft_stream<float>::*finish)(segment_sink<Value>)) {
  stft_stream<float> stream(plan, w.reader.channels());
  io_detail::npy_channel_writer<Value> writer(w.out, w.extents, w.reader.channels());
  signal_detail::wide_spectrum wide(plan);
  w.vanished = 0;
  const auto keep = [&](std::uint64_t segment, view<Value, 2> values) {
    for (std::size_t c = 0; c < values.extent(0); ++c) {
      const std::span<const Value> bins(&values(c, 0u), values.extent(1));
      const std::span<Value> out = writer.next(c);
      const std::span<const float> parts(reinterpret_cast<const float*>(bins.data()),
                                         bins.size() * sizeof(Value) / sizeof(float));
      if (wide.leave_float(segment, parts, w.form == spectrum_form::magnitude) &&
          !signal_detail::is_silence(stream.samples(c))) {
        if constexpr (std::is_same_v<Value, float>)
          narrow(w, file, wide.power(stream.samples(c)), out);
        else
          narrow(w, file, wide.bins(stream.samples(c)), out);
        continue;
      }
      if constexpr (std::is_same_v<Value, float>)
        if (w.form == spectrum_form::decibel) {
          power_to_db<float>(bins, out, 1.0, w.floor_db());
          continue;
        }
      std::copy(bins.begin(), bins.end(), out.begin());
    }
    writer.advance();
  };
  const std::uint64_t expected = w.reader.part().frames;
  w.reader.read([&](view<const float, 2> block) {
    wide.note(block, stream.received());
    (stream.*push)(block, keep);
  });
  if (w.reader.part().frames != expected) return false;
  (stream.*finish)(keep);
  writer.flush();
  describe();
  remove_description(description_of(w.out));
  writer.commit();
  return true;
}

bool write_form(work& w, const std::string& file, const stft_plan<float>& plan,
                function_ref<void()> describe) {
  using stream = stft_stream<float>;
  if (w.form == spectrum_form::complex)
    return write_spectra<std::complex<float>>(w, file, plan, describe, &stream::push,
                                              &stream::finish);
  if (w.form == spectrum_form::magnitude)
    return write_spectra<float>(w, file, plan, describe, &stream::push_magnitude,
                                &stream::finish_magnitude);
  return write_spectra<float>(w, file, plan, describe, &stream::push_power, &stream::finish_power);
}

json_value describe(const work& w, const sound_facts& sound) {
  const stft_options& o = w.options;
  std::vector<std::string> axes = {"segment", "bin"};
  if (w.extents.size() == 3) axes.insert(axes.begin(), "channel");
  json_value description = json_object(
      "what", "stft", "form", w.args.form, "element_type",
      w.form == spectrum_form::complex ? "<c8" : "<f4", "shape", w.extents, "axes", axes, "rate_hz",
      sound.info.rate_hz, "frames", sound.part.frames, "start_seconds",
      sound.part.start_seconds(sound.info), "n_fft", o.n_fft, "hop", o.hop, "window",
      papilio::to_string(o.window), "window_length", o.window_length, "centre", o.centre, "padding",
      to_string(o.padding), "pad_end", o.pad_end, "scaling", to_string(o.scaling));
  if (w.form == spectrum_form::decibel) description.add("floor_db", w.args.floor_db.value_or(-120));
  return description;
}

report report_of(const work& w, const sound_facts& sound, const json_value& description) {
  const stft_options& o = w.options;
  report made;
  return made.add(description)
      .append(sound_report(sound))
      .add("npy", w.out.string())
      .add("description", description_of(w.out).string())
      .add("segments", w.segments())
      .line("spectra", "{}, {}, scaling {}", counted(w.segments(), "segment"), segments_text(o),
            to_string(o.scaling))
      .line("npy", "{} ({}, {} {})", w.out.string(), w.args.form,
            description["element_type"].text(), fmt::join(w.extents, " x "));
}

/// Short-time spectra of a sound as float NPY, segment after segment, in memory that does not
/// depend on the sound's length. Both files appear whole, the description last and never beside
/// another NPY.
report write_stft(const arguments& args, const file_request& of) {
  work w{args, of.outs.front().name, form_named(args.form),
         excerpt_reader(of.file, args.sound, args.part, of.progress)};
  std::vector<std::string> warnings;
  const stft_options options =
      args.segments.options_of(of.file, w.reader.part().frames, w.reader.info().rate_hz, warnings);
  const auto memory = begin_work(of.file, w.reader.work(options.n_fft, options.hop), of.around);
  const stft_plan<float> plan = of.plans.stft(options);
  atomic_file description_file(description_of(w.out));
  w.options = plan.options();
  json_value description;
  const auto write_description = [&] {
    description = describe(w, w.reader.facts());
    const std::string text = json_text(description);
    description_file.write(text.data(), text.size());
    description_file.flush();
  };
  do {
    w.extents = {plan.segments(w.reader.part().frames), plan.bins()};
    if (w.extents[0] == 0)
      throw bad_file(of.file, "{} are too few for one segment of {} without centring",
                     counted(w.reader.part().frames, "frame"), w.options.n_fft);
    if (w.reader.channels() > 1) w.extents.insert(w.extents.begin(), w.reader.channels());
  } while (!write_form(w, of.file, plan, write_description));
  description_file.commit();
  if (w.vanished > 0)
    warnings.push_back(
        fmt::format("powers of {} are below a float's least and read 0; --form db has their levels",
                    counted(w.vanished, "segment")));
  return report_of(w, w.reader.facts(), description).warn(warnings);
}

file_task task_of(arguments& args, const output_flags&) {
  if (args.floor_db && args.form != "db")
    throw usage_error("--floor: is for --form db, got --form " + args.form);
  with_usage("--scaling, --window: ", [&] { stft_plan<float>{args.segments.options()}; });
  return [args](const file_request& of) { return write_stft(args, of); };
}

}  // namespace stft_parts
}  // namespace

sound_verb stft_verb() {
  sound_verb of("stft", "Save the short-time Fourier transform of a sound file as a NumPy file");
  of.outputs.kinds = {"npy"};
  of.outputs.is_own = own_files({.element_types = {"<c8", "<f4"}});
  of.outputs.one = true;
  of.outputs.companion = ".json";
  of.out_help =
      "NPY to write, beside OUT.json, which says what it holds; or a folder [FILE's name.npy]";
  of.prepare = prepared_by(stft_parts::task_of);
  of.footer =
      R"(X[s, k] = c sum_j w[j] x[s hop + j - n_fft / 2] exp(-2 pi i j k / n_fft), samples x from -1
to 1, w the window, c the scaling, k = 0 ... n_fft / 2: bin k is k rate / n_fft Hz, segment
s is centred on s hop / rate seconds after the start. --preset scipy shortens the segment to
a sound that is shorter, as scipy does.
NPY: float, in C order: [segments, bins] of one channel, [channels, segments, bins] of
several. OUT.json has the sample rate, the shape and all options, from which istft makes
the sound again. Both files are replaced when all is written.
Memory does not depend on the sound's length.)";
  of.examples.emplace_back("papilio stft song.flac",
                           "writes song.npy, complex bins for numpy.load");
  of.examples.emplace_back("papilio stft song.flac -o song.npy --preset librosa --form magnitude",
                           "magnitudes as librosa has them");
  return of;
}

void add_stft(program& app) { add_sound_verb(app, stft_verb()); }

}  // namespace papilio::cli
