#include "audio/ffmpeg_decoder.hpp"

#include <algorithm>
#include <system_error>

#include "audio/header_claim.hpp"

namespace papilio::audio_detail {
namespace {

constexpr int descriptor_of_input = 3;  // as ffmpeg_process hands it on

std::string until(const std::string& text, const char* end) {
  return text.substr(0, text.find(end));
}

}  // namespace

std::string ffmpeg_decoder::input_name() const {
  const std::string& path = file_->path();
  return "file:" + (path.empty() ? "/dev/fd/" + std::to_string(descriptor_of_input) : path);
}

std::vector<std::string> ffmpeg_decoder::arguments() const {
  std::vector<std::string> all{"-hide_banner", "-nostats", "-nostdin", "-loglevel", "level+info",
                               // A playlist must not make the program fetch anything.
                               "-protocol_whitelist", "file,pipe"};
  if (file_->origin() > 0)
    all.insert(all.end(), {"-skip_initial_bytes", std::to_string(file_->origin())});
  all.insert(all.end(),
             {"-i", input_name(), "-map", "0:a:0", "-c:a", "pcm_f32le", "-f", "wav", "pipe:1"});
  return all;
}

bool ffmpeg_decoder::start() {
  samples_.reset();
  output_.reset();
  process_.reset();
  failure_.clear();
  try {
    process_ = std::make_unique<ffmpeg_process>(arguments(), file_->descriptor());
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
      container_ = until(process_->message_behind("Input #0, "), ", from ");
      // "aac (LC) (mp4a / 0x6134706D)": the container's own number says nothing to a reader.
      encoding_ = until(process_->message_behind(" Audio: "), ",");
      if (const std::size_t number = encoding_.find(" / 0x"); number != std::string::npos)
        encoding_.erase(std::min(encoding_.rfind(" (", number), number));
      rate_hz_ = samples_->rate_hz();
      channels_ = samples_->channels();
      return true;
    }
  }
  failure_ = process_->wait();
  if (const std::string start = input_name() + ": "; failure_.starts_with(start))
    failure_.erase(0, start.size());
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
  failure_ = process_->wait();
  return got;
}

}  // namespace papilio::audio_detail
