#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace papilio::test {

/// What a run takes on the modelled machine; 0 bytes where none are counted.
struct modelled {
  std::int64_t ns = 0, bytes = 0;

  bool operator==(const modelled&) const = default;
};

/// A line of times.txt, "run : now_ns now_bytes base_ns", and " : limit reason" behind it where the
/// run may be so many times as long as its base. A run alone has not been timed yet.
struct times_row {
  std::string comments = {};  ///< the lines above it that are no runs
  std::string run = {};       ///< "fft n=1024 batch=4096 trainium1"
  modelled now = {};
  std::int64_t base_ns = 0;
  double limit = 1.1;  ///< of the time over the base
  std::string reason = {};
};

/// A run differs from `now` by at most this share, and the mean of all runs by at most that.
inline constexpr double run_share = 0.1, mean_share = 0.03;

/// std::runtime_error, with the line, for one that is not of the form, and a run that comes twice.
std::vector<times_row> read_times(std::istream& from);
void write_times(std::ostream& to, const std::vector<times_row>& rows);

/// A sentence for each run that is not timed yet, whose time or bytes differ by more than
/// run_share from `now` either way, or that is longer than its base allows; and for the mean, which
/// may differ by mean_share from `now` either way and be longer than the base by as much.
std::vector<std::string> faults(const std::vector<times_row>& rows,
                                const std::vector<modelled>& made);
/// A sentence for each run whose time or bytes are not exactly `now`, and one with the means.
std::vector<std::string> moves(const std::vector<times_row>& rows,
                               const std::vector<modelled>& made);
/// Makes these times `now`; a base is only written where there is none.
void renew(std::vector<times_row>& rows, const std::vector<modelled>& made);

}  // namespace papilio::test
