#include <fmt/format.h>

#include <optional>

#include "cli/common.hpp"
#include "cli/istft_task.hpp"
#include "cli/json_value.hpp"
#include "cli/sound_output.hpp"
#include "cli/stft_flags.hpp"
#include "cli/validators.hpp"

namespace papilio::cli {
namespace istft_verb {
namespace {

struct arguments {
  std::string npy, out;
  std::optional<int> rate_hz;
  std::optional<std::uint64_t> length;
  stft_flags segments;
  sound_output_flags output;
  bool json = false;
};

/// A flag of the segments that was given, or none.
std::string given_segment_flag(const command& verb) {
  for (const option& each : verb.options())
    if (each.group() == stft_flags::group && each.given()) return each.name();
  return {};
}

std::optional<spectra_description> description_given(const command& verb, const arguments& args) {
  const std::string flag = given_segment_flag(verb);
  if (!args.rate_hz) {
    if (!flag.empty())
      throw usage_error(flag +
                        ": describes the spectra, which then takes --rate as well, and all "
                        "that is not as the defaults");
    return std::nullopt;
  }
  spectra_description d;
  d.rate_hz = *args.rate_hz;
  d.options = args.segments.options(d.rate_hz);
  try {
    istft_stream<float>{d.options};
  } catch (const invalid_argument& e) {
    throw usage_error(fmt::format("--hop {}, --window {}: {}", d.options.hop,
                                  papilio::to_string(d.options.window), e.what()));
  }
  return d;
}

json_value report_json(const arguments& args, const istft_result& r) {
  const stft_options& o = r.description.options;
  return {{"npy", args.npy},
          {"out", args.out},
          {"segments", r.segments},
          {"n_fft", o.n_fft},
          {"hop", o.hop},
          {"window", papilio::to_string(o.window)},
          {"scaling", to_string(o.scaling)},
          {"rate_hz", r.writer.options().rate_hz},
          {"channels", r.writer.options().channels},
          {"frames", r.writer.frames()},
          {"clipped_samples", r.writer.clipped_samples()}};
}

std::string report_text(const arguments& args, const istft_result& r) {
  const stft_options& o = r.description.options;
  return fmt::format("npy       {}\nspectra   {}, n_fft {}, hop {}, {} window, scaling {}\n",
                     printable(args.npy), counted(r.segments, "segment"), o.n_fft, o.hop,
                     papilio::to_string(o.window), to_string(o.scaling)) +
         output_text(args.out, r.writer);
}

int run(const command& verb, const arguments& args) {
  if (args.npy == "-") throw usage_error("NPY: must name a file, not standard input");
  if (args.out == "-" && args.json)
    throw usage_error("--json: would mix with the sound on standard output");
  require_other_file("--out", args.out, args.npy);
  const istft_request request{.npy = args.npy,
                              .description = description_given(verb, args),
                              .frames = args.length,
                              .out = args.out,
                              .output = args.output.options("--out", args.out)};
  json_value report;
  const auto work = [&](const std::string&) {
    const istft_result result = write_istft(request);
    warn_of_clipping(args.out, result.writer);
    if (args.json)
      report = report_json(args, result);
    else if (args.out != "-")
      print(report_text(args, result));
  };
  const int code =
      for_each_file({args.npy}, work, [&](const std::string& file, const std::string& message) {
        report = {{"npy", file}, {"error", message}};
      });
  if (args.json) print(json_text(report));
  return code;
}

}  // namespace
}  // namespace istft_verb

void add_istft(program& app) {
  using namespace istft_verb;
  auto args = std::make_shared<arguments>();
  command& verb =
      app.add_command("istft", "Make a sound file from its short-time Fourier transform");
  verb.add_option("NPY", args->npy,
                  "Complex spectra, [segments, bins] or [channels, segments, bins]")
      .required();
  verb.add_option("-o,--out", args->out, sound_output_help).required().check(not_empty());
  verb.add_option("--rate", args->rate_hz,
                  "Samples per second, Hz; the flags of segments then describe the spectra, and\n"
                  "NPY.json is not looked at")
      .check(whole_number_from(1, highest_rate_hz));
  verb.add_option("--length", args->length,
                  "Samples of the output [as NPY.json says; else all that the segments stand for]")
      .check(whole_number_from(1, std::uint64_t{1} << 48));
  args->segments.add_to(verb);
  args->output.add_to(verb);
  verb.add_flag("--json", args->json, "Print JSON");
  verb.footer(
      "The sound whose segments differ least, in the sum of squares, from those given; for what\n"
      "papilio stft made it is the sound itself but for rounding (2e-7 in float), in its own\n"
      "length. How the spectra were made is read in NPY.json, which papilio stft leaves, or told\n"
      "by --rate and the flags of segments; it is never guessed.\n"
      "NPY: complex64 or complex128, C order, 0 Hz first, n_fft / 2 + 1 bins. An output of the\n"
      "same name is replaced when all is written. Samples beyond full scale are clipped and\n"
      "counted, but in f32 and f64. Memory does not depend on the length.\n"
      "Exit: 0 done, 1 bad data, 2 bad usage.");
  verb.example("papilio istft song.npy -o again.wav",
               "the inverse of papilio stft song.flac -o song.npy");
  verb.run([args, &verb] { return run(verb, *args); });
}

}  // namespace papilio::cli
