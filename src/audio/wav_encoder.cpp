#include <string>
#include <vector>

#include "audio/encode_samples.hpp"
#include "audio/sound_encoder.hpp"
#include "audio/wav_header.hpp"

namespace papilio::audio_detail {
namespace {

class wav_encoder final : public sound_encoder {
 public:
  wav_encoder(atomic_file& file, const sound_writer_options& options)
      : file_(file), correct_(!options.frames && file.is_rewritable()) {
    layout_ = {.encoding = *options.encoding,
               .rate_hz = options.rate_hz,
               .channels = options.channels,
               .room_for_long_sizes = correct_};
    const std::string header = wav_header(layout_, options.frames);
    file_.write(header.data(), header.size());
  }

  std::uint64_t write(std::span<const float> samples) override { return put(samples); }
  std::uint64_t write(std::span<const double> samples) override { return put(samples); }

  void finish(std::uint64_t frames) override {
    if (frames * layout_.frame_bytes() % 2 == 1) file_.write("", 1);
    if (!correct_) return;
    const std::string header = wav_header(layout_, frames);
    file_.write_at(0, header.data(), header.size());
  }

 private:
  template <class T>
  std::uint64_t put(std::span<const T> samples) {
    bytes_.resize(samples.size() * sample_bytes(layout_.encoding));
    const std::uint64_t clipped = encode<T>(samples, layout_.encoding, bytes_);
    file_.write(bytes_.data(), bytes_.size());
    return clipped;
  }

  atomic_file& file_;
  bool correct_;  // the header, at the end
  wav_layout layout_;
  std::vector<char> bytes_;
};

}  // namespace

std::unique_ptr<sound_encoder> make_wav_encoder(atomic_file& file,
                                                const sound_writer_options& options) {
  return std::make_unique<wav_encoder>(file, options);
}

}  // namespace papilio::audio_detail
