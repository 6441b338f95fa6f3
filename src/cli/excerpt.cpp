#include "cli/excerpt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/common.hpp"
#include "cli/validators.hpp"
#include "papilio/base/error.hpp"

namespace papilio::cli {

void excerpt_request::add_to(command& verb, const std::string& otherwise) {
  verb.add_option("--channel", channel, "One channel, from 1 [" + otherwise + "]")
      .check(whole_number_from(1, most_channels));
  verb.add_option("--start", start_seconds, "Time to skip, in seconds or as 1:23.4")
      .check(time_from(0, 1e9))
      .type_name("TIME")
      .show_default();
  verb.add_option("--duration", duration_seconds, "Time to analyse, likewise [to the end]")
      .check(time_from(1e-9, 1e9))
      .type_name("TIME");
}

sound_reader open_excerpt(const std::string& file, sound_options options, bool bounded) {
  options.reading = sound_reading::as_it_comes;
  sound_reader reader(file, options);
  if (!bounded) reader.measure();
  return reader;
}

excerpt excerpt_of(const std::string& file, const excerpt_request& request,
                   const sound_info& info) {
  if (request.channel && *request.channel > info.channels)
    throw io_error(shown_name(file),
                   fmt::format("--channel {}: it has only {}", *request.channel, info.channels));
  const double rate = info.rate_hz;
  const double available = static_cast<double>(info.length_known ? info.frames : unlimited_frames);
  const double first = std::floor(request.start_seconds * rate);
  if (first >= available)
    throw io_error(shown_name(file), fmt::format("--start {} s is at or beyond its end at {:.3f} s",
                                                 request.start_seconds, info.duration_seconds()));
  double frames = available - first;
  if (request.duration_seconds)
    frames = std::min(frames, std::max(1.0, std::round(*request.duration_seconds * rate)));
  return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(frames)};
}

}  // namespace papilio::cli
