#include "cli/live_view.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>

namespace papilio::cli {
namespace {

/// While it lives, signals that end a program end its input instead: what waits for more of it finds
/// the end, and the program ends as it does where the sound does.
class graceful_end {
 public:
  graceful_end() {
    empty_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct sigaction action {};
    action.sa_handler = [](int) {
      const int before = errno;
      ::dup2(empty_, STDIN_FILENO);
      errno = before;
    };
    for (std::size_t i = 0; i < signals.size(); ++i) {
      ::sigaction(signals[i], &action, &before_[i]);
      // As under nohup.
      if (before_[i].sa_handler == SIG_IGN) ::sigaction(signals[i], &before_[i], nullptr);
    }
  }
  ~graceful_end() {
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
    ::close(empty_);
  }
  graceful_end(const graceful_end&) = delete;
  graceful_end& operator=(const graceful_end&) = delete;

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  static inline int empty_ = -1;
  std::array<struct sigaction, signals.size()> before_{};
};

/// How a window over endless sound is cut into columns: all of as many hops, so that a column keeps
/// its segments, and its colours, while it moves to the left.
struct live_window {
  std::uint64_t step, columns;  ///< frames in a column

  live_window(double frames, std::size_t hop, std::size_t most_columns) {
    const double hops = frames / static_cast<double>(hop);
    step = hop * static_cast<std::uint64_t>(
                     std::max(1.0, std::ceil(hops / static_cast<double>(most_columns))));
    columns =
        static_cast<std::uint64_t>(std::max(1.0, std::round(frames / static_cast<double>(step))));
  }

  std::uint64_t frames() const { return step * columns; }
  /// The window's beginning when so many frames have come.
  std::uint64_t first(std::uint64_t received) const {
    return received <= frames() ? 0 : (received - frames() + step - 1) / step * step;
  }
};

/// Draws when it is time: ten times a second at most, and no more than a quarter of the time.
class pace {
 public:
  bool is_due() const { return clock::now() >= next_; }
  template <class Work>
  void run(const Work& work) {
    const clock::time_point begin = clock::now();
    work();
    const clock::time_point end = clock::now();
    next_ = std::max(begin + std::chrono::milliseconds(100), end + 3 * (end - begin));
  }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point next_ = clock::now();
};

constexpr double most_window_bytes = 1 << 30;
constexpr double block_seconds = 0.03;

}  // namespace

std::vector<spectrogram_analysis> follow(const spectrogram_request& r, const file_request& of,
                                         double seconds, live_picture draw) {
  const graceful_end graceful;
  excerpt_request part = r.args.part;
  part.duration_seconds.reset();
  excerpt_reader reader(of.file, r.args.sound, part, {}, reading::once);
  const sound_info info = reader.info();
  const std::size_t channels = reader.channels();
  const stft_options stft = r.args.stft.picture_options(info.rate_hz, r.preset);
  const plot_extent plot = spectrogram_panel_extents(r.bare_picture(1)).front();
  const live_window window(seconds * info.rate_hz, stft.hop,
                           r.args.waterfall ? plot.height : plot.width);
  if (static_cast<double>(window.frames() * channels) > most_window_bytes / (2 * sizeof(float)))
    throw bad_file(of.file, "--duration {} s of {} at {} Hz do not fit a window of 1 GiB", seconds,
                   counted(channels, "channel"), info.rate_hz);
  const auto memory = begin_work(
      of.file,
      {.channels = channels, .frames = window.frames(), .n_fft = stft.n_fft, .hop = stft.hop},
      of.around);

  // A window that begins within the sound has no silence before it, whose end would be heard.
  spectrogram_request mirrored = r;
  if (r.args.stft.padding.empty() && stft.centre) mirrored.args.stft.padding = "reflect";

  const std::uint64_t least = stft.centre ? 1 : stft.n_fft;
  std::vector<float> samples;  // [frames, channels], from frame `first` on
  std::uint64_t first = 0, received = 0;
  std::vector<spectrogram_analysis> shown;
  const auto draw_window = [&](bool ends) {
    const std::uint64_t from = window.first(received);
    // A column that is still coming is drawn when it is there, or nothing more comes.
    const std::uint64_t there = received - from, whole = there / window.step * window.step;
    const std::uint64_t frames = ends || whole < std::max(window.step, least) ? there : whole;
    const spectrogram_request& now = frames > stft.n_fft ? mirrored : r;
    spectrogram_maker maker(now, {of.file, info, channels, frames, window.frames(), window.columns},
                            of.plans);
    maker.push(view<const float, 2>(samples.data() + (from - first) * channels,
                                    {static_cast<std::size_t>(frames), channels}));
    sound_facts sound = reader.facts();
    sound.part.first += from;
    sound.part.frames = frames;
    shown.clear();
    shown.push_back(maker.finish(sound));
    spectrogram_picture picture = picture_of(r, shown);
    picture.duration_seconds = static_cast<double>(window.frames()) / info.rate_hz;
    draw(picture);
  };
  pace drawing;
  reader.read(
      [&](view<const float, 2> block) {
        for (std::size_t i = 0; i < block.extent(0); ++i)
          for (std::size_t c = 0; c < channels; ++c) samples.push_back(block(i, c));
        received += block.extent(0);
        // Samples before the window are dropped once they are as many as the window's, so that
        // a sample is moved about once.
        const std::uint64_t from = window.first(received);
        if (from - first > window.frames()) {
          samples.erase(samples.begin(),
                        samples.begin() + static_cast<std::ptrdiff_t>((from - first) * channels));
          first = from;
        }
        if (received >= least && drawing.is_due()) drawing.run([&] { draw_window(false); });
      },
      unlimited_frames, static_cast<std::size_t>(std::max(1.0, block_seconds * info.rate_hz)));
  draw_window(true);
  return shown;
}

}  // namespace papilio::cli
