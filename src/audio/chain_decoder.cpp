#include "audio/chain_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace papilio::audio_detail {

void chain_decoder::keep(const std::string& fault) {
  if (!fault.empty() && std::find(faults_.begin(), faults_.end(), fault) == faults_.end())
    faults_.push_back(fault);
}

/// False where there is no such link, or one that cannot be read on from the others.
bool chain_decoder::enter(std::size_t index) {
  std::unique_ptr<decoder> next = link(index, decode_.get());
  if (!next) return false;
  const bool opened = next->open();
  if (index == 0) {
    failure_ = opened ? "" : next->failure();
    if (!opened) return false;
    info_ = next->describe();
  } else if (!opened || next->describe().rate_hz != info_.rate_hz ||
             next->describe().channels != info_.channels) {
    leave_out(index, std::move(next), opened);
    return false;
  }
  index_ = index;
  decode_ = std::move(next);
  return true;
}

/// Says what is not read from a link on that is of another kind, or cannot be decoded.
void chain_decoder::leave_out(std::size_t index, std::unique_ptr<decoder> next, bool opened) {
  const std::uint64_t offset = offset_of_link(index);
  const sound_info info = opened ? next->describe() : sound_info{};
  double seconds = 0;
  for (; next; opened = next && next->open()) {
    if (opened) {
      const std::uint64_t count = next->frames() ? *next->frames() : next->count_frames();
      seconds += static_cast<double>(count) / next->describe().rate_hz;
    }
    next = link(++index, next.get());
  }
  const std::string kind = info.channels > 0
                               ? fmt::format("of {} Hz and {} channel{}", info.rate_hz,
                                             info.channels, info.channels > 1 ? "s" : "")
                               : "of a kind that cannot be read";
  // A pipe that was not read to its end does not tell how many bytes follow.
  std::string amount = seconds > 0 ? fmt::format("about {:.3f} s", seconds) : "bytes";
  if (bytes().size() != byte_source::unknown_size)
    amount = fmt::format("{} bytes (about {:.3f} s)", bytes().size() - offset, seconds);
  keep(fmt::format("not all is read: at {:.3f} s follow {} {}",
                   static_cast<double>(ends_.back()) / info_.rate_hz, amount, kind));
}

/// The link that is read ended with the frame before `end`.
void chain_decoder::end_link(std::uint64_t end) {
  if (ends_.size() == index_) ends_.push_back(end);
  for (const std::string& fault : decode_->faults()) keep(fault);
  keep(fault_of_link(index_));
}

/// Finds the frames of every link.
void chain_decoder::measure() {
  std::uint64_t total = 0;
  do {
    const auto known = decode_->frames();
    total += known ? *known : decode_->count_frames();
    promised_ += decode_->promised_frames();
    end_link(total);
  } while (enter(index_ + 1));
  frames_ = total;
  measured_ = true;
}

bool chain_decoder::start() {
  decode_.reset();
  if (!measured_) ends_.clear();
  if (!enter(0)) return false;
  if (measured_) return true;
  // Links may follow what the header of the first one counts.
  promised_ = bytes().is_whole() ? 0 : decode_->promised_frames();
  if (!bytes().is_whole()) return true;
  measure();
  return index_ == 0 ? decode_->open() : enter(0);
}

std::size_t chain_decoder::decode(float* out, std::size_t frames) {
  const auto channels = static_cast<std::size_t>(info_.channels);
  std::size_t done = 0;
  while (decode_ && done < frames) {
    // A link ends where seeking says so.
    const std::uint64_t left =
        measured_ ? ends_[index_] - (position_ + done) : std::uint64_t{frames - done};
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, frames - done));
    const std::size_t got = decode_->read(out + done * channels, wanted);
    done += got;
    if (got == wanted && (!measured_ || wanted < left)) break;
    end_link(position_ + done);
    if (measured_ && index_ + 1 == ends_.size()) break;
    if (got < wanted && measured_) {
      std::fill_n(out + done * channels, (wanted - got) * channels, 0.0f);
      keep("damaged: what could not be decoded is read as 0");
      done += wanted - got;
      if (wanted < left) break;
    }
    if (!enter(index_ + 1)) decode_.reset();
  }
  return done;
}

bool chain_decoder::seek(std::uint64_t frame) {
  if (!measured_) return decoder::seek(frame);
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), frame);
  if (end == ends_.end()) return false;
  const auto index = static_cast<std::size_t>(end - ends_.begin());
  if ((!decode_ || index != index_) && !enter(index)) return false;
  position_ = frame;
  return decode_->seek(frame - (index == 0 ? 0 : ends_[index - 1]));
}

std::vector<std::string> chain_decoder::faults() const {
  std::vector<std::string> all = faults_;
  if (decode_)
    for (const std::string& fault : decode_->faults())
      if (std::find(all.begin(), all.end(), fault) == all.end()) all.push_back(fault);
  return all;
}

}  // namespace papilio::audio_detail
