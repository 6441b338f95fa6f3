#include "audio/ffmpeg_decoder.hpp"

#include <unistd.h>

#include <cerrno>
#include <map>
#include <sstream>
#include <system_error>

#include "audio/header_claim.hpp"

namespace papilio::audio_detail {
namespace {

constexpr int descriptor_of_input = 3;  // as ffmpeg_process hands it on

/// Reads all that comes out, or its beginning.
std::string beginning_of(int output) {
  std::string text(std::size_t{1} << 16, '\0');
  std::size_t done = 0;
  for (;;) {
    const ssize_t got = ::read(output, text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

/// Formats that only name other files.
bool is_list_of_files(const std::string& container) {
  return container == "concat" || container == "hls" || container == "dash" || container == "imf";
}

}  // namespace

std::string ffmpeg_decoder::input_name() const {
  const std::string& path = file_->path();
  return "file:" + (path.empty() ? "/dev/fd/" + std::to_string(descriptor_of_input) : path);
}

std::vector<std::string> ffmpeg_decoder::arguments(std::vector<std::string> before,
                                                   const std::vector<std::string>& behind) const {
  before.insert(before.end(), {"-hide_banner", "-loglevel", "level+error",
                               // A playlist must not make the program fetch anything.
                               "-protocol_whitelist", "file,pipe"});
  if (file_->origin() > 0)
    before.insert(before.end(), {"-skip_initial_bytes", std::to_string(file_->origin())});
  before.insert(before.end(), {"-i", input_name()});
  before.insert(before.end(), behind.begin(), behind.end());
  return before;
}

std::string ffmpeg_decoder::without_name(std::string message) const {
  if (const std::string start = input_name() + ": "; message.starts_with(start))
    message.erase(0, start.size());
  return message;
}

// Its answers are words of its own tables: nothing in the file makes another line.
bool ffmpeg_decoder::find_format() {
  ffmpeg_process probe(
      "ffprobe",
      arguments({"-show_entries", "format=format_name:stream=codec_type,codec_name,profile",
                 "-print_format", "default"},
                {}),
      file_->descriptor());
  std::istringstream lines(beginning_of(probe.output()));
  std::map<std::string, std::string> section;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) section[line.substr(0, equals)] = line.substr(equals + 1);
    if (!line.starts_with("[/")) continue;
    if (line == "[/FORMAT]") container_ = section["format_name"];
    const std::string &codec = section["codec_name"], &profile = section["profile"];
    const bool is_sound = section["codec_type"] == "audio";
    if (line == "[/STREAM]" && !is_sound && !codec.empty()) other_decoders_.push_back(codec);
    if (line == "[/STREAM]" && is_sound && encoding_.empty()) {
      encoding_ = codec;
      if (!profile.empty() && profile != "unknown") encoding_ += " (" + profile + ")";
    }
    section.clear();
  }
  const std::string error = without_name(probe.wait());
  if (container_.empty())
    failure_ = error;
  else if (is_list_of_files(container_))
    failure_ = "a list of other files, which are not read";
  else if (encoding_.empty())
    failure_ = "there is no sound track of a known encoding";
  return failure_.empty();
}

bool ffmpeg_decoder::start() {
  samples_.reset();
  output_.reset();
  process_.reset();
  failure_.clear();
  try {
    // The format is found first: a list of other files must not be opened.
    if (encoding_.empty() && !find_format()) return false;
    process_ = std::make_unique<ffmpeg_process>(
        "ffmpeg",
        // Its last word is then that it has come to the end.
        arguments({"-nostats", "-nostdin", "-progress", "pipe:2"},
                  {"-map", "0:a:0", "-c:a", "pcm_f32le", "-f", "wav", "pipe:1"}),
        file_->descriptor());
  } catch (const std::system_error& e) {
    failure_ = e.code().message();
    return false;
  }
  output_ = std::make_unique<file_bytes>(process_->output(), "ffmpeg");
  const header_claim claim = read_header_claim(*output_);
  if (claim.plain_format != 0 && claim.data) {
    samples_ = std::make_unique<sndfile_decoder>(
        *output_, plain_samples{claim.plain_format, static_cast<int>(*claim.rate_hz),
                                static_cast<int>(*claim.channels), claim.data->offset});
    if (samples_->open()) {
      output_->forget();
      rate_hz_ = samples_->rate_hz();
      channels_ = samples_->channels();
      return true;
    }
  }
  failure_ = without_name(process_->wait(other_decoders_));
  return false;
}

sound_info ffmpeg_decoder::describe() const {
  sound_info info;
  info.channels = channels_;
  info.rate_hz = rate_hz_;
  info.container = container_;
  info.encoding = encoding_;
  info.decoded_by = "ffmpeg";
  return info;
}

std::size_t ffmpeg_decoder::decode(float* out, std::size_t frames) {
  if (!samples_) return 0;
  const std::size_t got = samples_->read(out, frames);
  if (got == frames) return got;
  samples_.reset();
  failure_ = without_name(process_->wait(other_decoders_));
  return got;
}

}  // namespace papilio::audio_detail
