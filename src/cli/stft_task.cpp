#include "cli/stft_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <filesystem>
#include <type_traits>

#include "cli/common.hpp"
#include "papilio/io.hpp"

namespace papilio::cli {
namespace {

constexpr std::pair<const char*, spectrum_form> forms[] = {{"complex", spectrum_form::complex},
                                                           {"magnitude", spectrum_form::magnitude},
                                                           {"power", spectrum_form::power},
                                                           {"db", spectrum_form::decibel}};

/// Collects the segments of each channel and writes them in large pieces: a channel's segments are
/// neighbours in the file.
template <class Value>
class segment_writer {
 public:
  segment_writer(const std::filesystem::path& path, std::vector<std::uint64_t> extents,
                 std::size_t channels)
      : segments_(extents[extents.size() - 2]),
        held_(held_segments(channels, extents.back() * sizeof(Value))),
        buffer_({channels, held_, static_cast<std::size_t>(extents.back())}),
        npy_(path, std::move(extents)) {}

  /// Where the next segment's bins of a channel go.
  std::span<Value> next(std::size_t channel) {
    return {&buffer_(channel, filled_, 0u), buffer_.extent(2)};
  }
  void advance() {
    if (++filled_ == held_) flush();
  }
  void finish() { flush(); }
  void commit(const std::filesystem::path& description) {
    // Never the description of one array beside another.
    std::error_code none;
    if (std::filesystem::is_regular_file(std::filesystem::symlink_status(description, none)))
      std::filesystem::remove(description, none);
    npy_.commit();
  }

 private:
  // 256 KiB a channel, 4 MiB in all, at least one segment.
  static std::size_t held_segments(std::size_t channels, std::size_t segment_bytes) {
    const std::size_t bytes =
        std::min<std::size_t>(std::size_t{1} << 18, (std::size_t{1} << 22) / channels);
    return std::max<std::size_t>(1, bytes / segment_bytes);
  }

  void flush() {
    if (filled_ == 0) return;
    const std::size_t bins = buffer_.extent(2);
    for (std::size_t c = 0; c < buffer_.extent(0); ++c)
      npy_.write((c * segments_ + done_) * bins,
                 std::span<const Value>(&buffer_(c, 0u, 0u), filled_ * bins));
    done_ += filled_;
    filled_ = 0;
  }

  std::uint64_t segments_, done_ = 0;
  std::size_t held_, filled_ = 0;
  array<Value, 3> buffer_;
  npy_region_writer<Value> npy_;
};

/// The whole of one run over the excerpt; false if it came out shorter than it was thought to be.
/// `describe` writes the description before the array has its name, so that a full disk leaves both
/// or neither.
template <class Value, class Push, class Finish>
bool write_spectra(const stft_request& request, excerpt_reader& reader,
                   const std::vector<std::uint64_t>& extents, const stft_plan<float>& plan,
                   function_ref<void()> describe, Push push, Finish finish) {
  stft_stream<float> stream(plan, reader.channels());
  segment_writer<Value> writer(request.out, extents, reader.channels());
  const auto keep = [&](std::uint64_t, view<Value, 2> values) {
    for (std::size_t c = 0; c < values.extent(0); ++c) {
      const std::span<const Value> bins(&values(c, 0u), values.extent(1));
      if constexpr (std::is_same_v<Value, float>)
        if (request.form == spectrum_form::decibel) {
          power_to_db<float>(bins, writer.next(c), 1.0, request.floor_db);
          continue;
        }
      std::copy(bins.begin(), bins.end(), writer.next(c).begin());
    }
    writer.advance();
  };
  const std::uint64_t expected = reader.part().frames;
  reader.read([&](view<const float, 2> block) { push(stream, block, keep); });
  if (reader.part().frames != expected) return false;
  finish(stream, keep);
  writer.finish();
  describe();
  writer.commit(description_of(request.out));
  return true;
}

bool write_form(const stft_request& request, excerpt_reader& reader,
                const std::vector<std::uint64_t>& extents, const stft_plan<float>& plan,
                function_ref<void()> describe) {
  if (request.form == spectrum_form::complex)
    return write_spectra<std::complex<float>>(
        request, reader, extents, plan, describe,
        [](auto& stream, const auto& block, auto& keep) { stream.push(block, keep); },
        [](auto& stream, auto& keep) { stream.finish(keep); });
  if (request.form == spectrum_form::magnitude)
    return write_spectra<float>(
        request, reader, extents, plan, describe,
        [](auto& stream, const auto& block, auto& keep) { stream.push_magnitude(block, keep); },
        [](auto& stream, auto& keep) { stream.finish_magnitude(keep); });
  return write_spectra<float>(
      request, reader, extents, plan, describe,
      [](auto& stream, const auto& block, auto& keep) { stream.push_power(block, keep); },
      [](auto& stream, auto& keep) { stream.finish_power(keep); });
}

json_value describe(const stft_request& request, const stft_report& result) {
  const stft_options& o = result.options;
  std::vector<std::string> axes = {"segment", "bin"};
  if (result.extents.size() == 3) axes.insert(axes.begin(), "channel");
  json_value description = {{"what", "stft"},
                            {"form", to_string(request.form)},
                            {"element_type", result.element_type},
                            {"shape", result.extents},
                            {"axes", axes},
                            {"rate_hz", result.sound.info.rate_hz},
                            {"frames", result.sound.part.frames},
                            {"start_seconds", result.sound.part.start_seconds(result.sound.info)}};
  if (request.form == spectrum_form::decibel) description["floor_db"] = request.floor_db;
  description["n_fft"] = o.n_fft;
  description["hop"] = o.hop;
  description["window"] = papilio::to_string(o.window);
  description["window_length"] = o.window_length;
  description["centre"] = o.centre;
  description["padding"] = to_string(o.padding);
  description["pad_end"] = o.pad_end;
  description["scaling"] = to_string(o.scaling);
  return description;
}

}  // namespace

std::string to_string(spectrum_form form) {
  for (const auto& [word, value] : forms)
    if (value == form) return word;
  return {};
}

spectrum_form parse_stft_form(const std::string& word) {
  for (const auto& [name, value] : forms)
    if (word == name) return value;
  throw invalid_argument("parse_stft_form: there is no form \"" + word + "\"");
}

std::filesystem::path description_of(const std::filesystem::path& npy) {
  std::filesystem::path path = npy;
  path += ".json";
  return path;
}

stft_report write_stft(const stft_request& request, plan_store& plans) {
  excerpt_reader reader(request.source);
  const std::size_t channels = reader.channels();
  stft_report result;
  const stft_options options = request.segments.options_of(
      request.source.file, reader.part().frames, reader.info().rate_hz, result.warnings);
  const auto memory = begin_work(request.source.file,
                                 {.channels = channels,
                                  .frames = reader.part().frames,
                                  .n_fft = options.n_fft,
                                  .hop = options.hop},
                                 request.source.around);
  const stft_plan<float> plan = plans.stft(options);
  atomic_file description(description_of(request.out));
  result.element_type = request.form == spectrum_form::complex ? "<c8" : "<f4";
  result.options = plan.options();
  const auto write_description = [&] {
    result.sound = reader.facts();
    result.description = describe(request, result);
    const std::string text = json_text(result.description);
    description.write(text.data(), text.size());
    description.flush();
  };
  do {
    result.segments = plan.segments(reader.part().frames);
    if (result.segments == 0)
      throw io_error(shown_name(request.source.file),
                     fmt::format("{} are too few for one segment of {} without centring",
                                 counted(reader.part().frames, "frame"), plan.options().n_fft));
    result.extents = {result.segments, plan.bins()};
    if (channels > 1) result.extents.insert(result.extents.begin(), channels);
  } while (!write_form(request, reader, result.extents, plan, write_description));
  result.warnings.insert(result.warnings.begin(), result.sound.warnings.begin(),
                         result.sound.warnings.end());
  description.commit();
  return result;
}

}  // namespace papilio::cli
