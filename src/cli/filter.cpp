#include "cli/sound_verb.hpp"
#include "cli/zero_phase.hpp"

namespace papilio::cli {
namespace {
namespace filter_parts {

struct arguments {
  std::optional<double> high_pass_hz, low_pass_hz, ripple_db, attenuation_db;
  std::string stop_hz, family = "butterworth";
  std::size_t order = 4;
  bool zero_phase = false;
  excerpt_request part;
  sound_flags sound;
  sound_output_flags output;

  void add_to(command& verb) {
    verb.add(
        {{"--highpass", high_pass_hz, "Frequency below which sound is attenuated, Hz",
          number_from(1e-3, 1e9)},
         {"--lowpass", low_pass_hz, "Frequency above which sound is attenuated, Hz",
          number_from(1e-3, 1e9)},
         {"--bandstop", stop_hz, "Frequencies between which sound is attenuated, Hz",
          not_empty().called("LOW:HIGH")},
         {"--family", family, "Kind of filter",
          one_of({"butterworth", "chebyshev1", "chebyshev2", "elliptic", "bessel"})},
         {"--order", order, "Order of each filter; --bandstop has twice as many poles",
          whole_number_from(1, 64)},
         {"--ripple", ripple_db, "Ripple where sound passes, of chebyshev1 and elliptic, dB [1]",
          number_from(1e-6, 100)},
         {"--attenuation", attenuation_db,
          "Attenuation where it stops, of chebyshev2 and elliptic, dB [60]",
          number_from(1e-6, 300)},
         {"--zero-phase", zero_phase,
          "Filter forward and backward: nothing is delayed, and attenuations are twofold"}});
    part.add_to(verb, "all");
    sound.add_to(verb);
    output.add_to(verb);
  }
};

filter_family family_of(const std::string& word) {
  if (word == "chebyshev1") return filter_family::chebyshev1;
  if (word == "chebyshev2") return filter_family::chebyshev2;
  if (word == "elliptic") return filter_family::elliptic;
  if (word == "bessel") return filter_family::bessel;
  return filter_family::butterworth;
}

struct named_band {
  std::string flag;
  filter_band band;
};

std::optional<filter_band> stopped_band(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t colon = text.find(':');
  const auto low = read_number<double>(std::string_view(text).substr(0, colon));
  const auto high = colon == std::string::npos
                        ? std::nullopt
                        : read_number<double>(std::string_view(text).substr(colon + 1));
  if (!low || !high || !(*low > 0 && *low < *high && *high <= 1e9))
    throw usage_error("--bandstop: must be LOW:HIGH in Hz with 0 < LOW < HIGH, got {}", text);
  return filter_band::band_stop(*low, *high);
}

std::vector<named_band> bands_of(const arguments& args) {
  std::vector<named_band> bands;
  if (args.high_pass_hz)
    bands.push_back({"--highpass", filter_band::high_pass(*args.high_pass_hz)});
  if (args.low_pass_hz) bands.push_back({"--lowpass", filter_band::low_pass(*args.low_pass_hz)});
  if (const auto stopped = stopped_band(args.stop_hz)) bands.push_back({"--bandstop", *stopped});
  return bands;
}

/// Sections of all filters, one after the other.
std::vector<sos_section> sections_of(const arguments& args, const std::string& file,
                                     double rate_hz) {
  std::vector<sos_section> all;
  for (const auto& [name, band] : bands_of(args)) {
    const double highest = std::max(band.edge_hz, band.upper_edge_hz);
    if (!(highest < rate_hz / 2))
      throw bad_file(file, "{} {}: must be below half its rate, {} Hz", name, highest, rate_hz / 2);
    try {
      const std::vector<sos_section> made =
          iir_sections({.family = family_of(args.family),
                        .order = args.order,
                        .band = band,
                        .ripple_db = args.ripple_db.value_or(1),
                        .attenuation_db = args.attenuation_db.value_or(60)},
                       rate_hz);
      all.insert(all.end(), made.begin(), made.end());
    } catch (const invalid_argument& e) {
      throw bad_file(file, "{}: {}", name, e.what());
    }
  }
  return all;
}

std::string text_of(const arguments& args) {
  std::string text;
  for (const auto& [name, band] : bands_of(args)) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {} Hz", name.substr(2), band.edge_hz);
    if (band.upper_edge_hz > 0) text += fmt::format(" to {} Hz", band.upper_edge_hz);
  }
  return fmt::format("{}, {} of order {}{}", text, args.family, args.order,
                     args.zero_phase ? ", both ways" : "");
}

/// Reads the sound once and filters it from silence.
void filter_forward(excerpt_reader& reader, std::span<const sos_section> sections,
                    sound_writer& writer) {
  sos_filter<float> filter(sections, reader.channels());
  std::vector<float> samples;
  reader.read([&](view<const float, 2> block) {
    samples.resize(block.size());
    const view<float, 2> made(samples.data(), block.extents());
    filter.push(block, made);
    writer.write(made);
  });
}

/// Reads the sound twice.
void filter_both_ways(const std::string& file, excerpt_reader& reader,
                      const std::vector<sos_section>& sections, sound_writer& writer) {
  zero_phase_filter filter(sections, reader.channels());
  const auto write = [&](view<const float, 2> samples) { writer.write(samples); };
  for (int showing = 0; showing < 2; ++showing) {
    reader.read([&](view<const float, 2> block) { filter.push(block, write); });
    if (reader.part().frames <= filter.padding())
      throw bad_file(file, "--zero-phase: it must be longer than {} frames, got {}",
                     filter.padding(), reader.part().frames);
    filter.finish(write);
  }
}

report filtered(const arguments& args, const file_request& of) {
  const output& out = of.outs.front();
  excerpt_reader reader(of.file, args.sound, args.part, of.progress);
  const std::vector<sos_section> sections = sections_of(args, of.file, reader.info().rate_hz);
  const auto memory = begin_work(of.file, reader.work(2048, 2048), of.around);
  sound_writer_options output = args.output.options(out.kind);
  output.rate_hz = reader.info().rate_hz;
  output.channels = static_cast<int>(reader.channels());
  if (out.to_standard_output()) output.frames = reader.part().frames;
  sound_writer writer(out.name, output);
  if (args.zero_phase)
    filter_both_ways(of.file, reader, sections, writer);
  else
    filter_forward(reader, sections, writer);
  writer.commit();
  report made = sound_report(reader.facts());
  made.line("filter", "{}, {}", text_of(args), counted(sections.size(), "section"))
      .fields("family", args.family, "order", args.order, "sections", sections.size(), "zero_phase",
              args.zero_phase, "out", out.name.string(), "frames_written", writer.frames());
  add_written(made, out, writer);
  return made;
}

file_task task_of(arguments& args, const output_flags& outputs) {
  args.output.require_fit(outputs);
  if (bands_of(args).empty())
    throw usage_error("filter: takes --highpass, --lowpass or --bandstop");
  const bool has_ripple = args.family == "chebyshev1" || args.family == "elliptic";
  const bool has_attenuation = args.family == "chebyshev2" || args.family == "elliptic";
  if (args.ripple_db && !has_ripple)
    throw usage_error("--ripple: is for --family chebyshev1 and elliptic");
  if (args.attenuation_db && !has_attenuation)
    throw usage_error("--attenuation: is for --family chebyshev2 and elliptic");
  if (args.family == "elliptic" && args.attenuation_db.value_or(60) <= args.ripple_db.value_or(1))
    throw usage_error("--attenuation: must be above --ripple {}, got {}",
                      args.ripple_db.value_or(1), args.attenuation_db.value_or(60));
  if (args.family == "bessel" && args.order > 25)
    throw usage_error("--order: must be 1 ... 25 with --family bessel, got {}", args.order);
  return [args](const file_request& of) { return filtered(args, of); };
}

}  // namespace filter_parts
}  // namespace

sound_verb filter_verb() {
  sound_verb of("filter", "Filter a sound file by high-pass, low-pass and band-stop filters");
  of.outputs = sound_kinds("-filtered");
  of.out_help = sound_out_help("-filtered");
  of.in_batch = false;
  of.prepare = prepared_by(filter_parts::task_of);
  of.footer =
      R"(Each of --highpass, --lowpass and --bandstop is a recursive filter of second-order sections;
they follow one another, computed in double from silence. At its edges a Butterworth filter
attenuates by 3 dB, a Chebyshev filter of the first kind and an elliptic one by --ripple, one
of the second kind by --attenuation. --zero-phase filters forward and then backward, as
scipy.signal.sosfiltfilt: the sound is read twice, and attenuations are twofold. Samples
beyond full scale are clipped and counted, except in f32 and f64. Memory does not depend on
the sound's length.)";
  of.examples.emplace_back("papilio filter talk.wav --highpass 80",
                           "writes talk-filtered.wav without what is below 80 Hz");
  of.examples.emplace_back("papilio filter pulse.wav --lowpass 2000 --zero-phase",
                           "leaves what is below 2 kHz where it is in time");
  of.examples.emplace_back("papilio filter hum.wav -o clean.wav --bandstop 45:55 --order 2",
                           "takes out the mains");
  return of;
}

void add_filter(program& app) { add_sound_verb(app, filter_verb()); }

}  // namespace papilio::cli
