#include "times/times_table.hpp"

#include <cmath>
#include <cstdio>
#include <istream>
#include <ostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace papilio::test {
namespace {

constexpr std::string_view separator = " : ";

std::string ratio_text(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", ratio);
  return text;
}

double ratio(std::int64_t made, std::int64_t before) { return double(made) / double(before); }

bool is_timed(const times_row& row) { return row.base_ns != 0; }

bool is_far(std::int64_t made, std::int64_t before, double share) {
  return std::abs(double(made - before)) > share * double(before);
}

// Of the runs that are timed, over what `before` gives of a row.
template <class Before>
double mean_ratio(const std::vector<times_row>& rows, const std::vector<modelled>& made,
                  const Before& before) {
  double sum = 0;
  int timed = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (is_timed(rows[i])) {
      sum += std::log(ratio(made[i].ns, before(rows[i])));
      ++timed;
    }
  return timed == 0 ? 1 : std::exp(sum / timed);
}

struct means {
  double of_now, of_base;
  means(const std::vector<times_row>& rows, const std::vector<modelled>& made)
      : of_now(mean_ratio(rows, made, [](const times_row& r) { return r.now.ns; })),
        of_base(mean_ratio(rows, made, [](const times_row& r) { return r.base_ns; })) {}
};

times_row row_of(const std::string& line) {
  times_row row;
  const std::size_t at = line.find(separator), exception = line.find(separator, at + 1);
  row.run = line.substr(0, at);
  if (at == std::string::npos) return row;
  const auto refuse = [&] {
    throw std::runtime_error("not \"run : now_ns now_bytes base_ns\" or \"... : limit reason\": " +
                             line);
  };
  const std::size_t numbers = at + separator.size();
  std::istringstream words(line.substr(numbers, exception - numbers));
  words >> row.now.ns >> row.now.bytes >> row.base_ns;
  if (!words || !(words >> std::ws).eof() || row.now.ns <= 0 || row.now.bytes < 0 ||
      row.base_ns <= 0)
    refuse();
  if (exception == std::string::npos) return row;
  std::istringstream said(line.substr(exception + separator.size()));
  if (!(said >> row.limit) || row.limit < 1 || !std::getline(said >> std::ws, row.reason)) refuse();
  return row;
}

}  // namespace

std::vector<times_row> read_times(std::istream& from) {
  std::vector<times_row> rows;
  std::set<std::string> runs;
  std::string comments;
  for (std::string line; std::getline(from, line);) {
    if (line.empty() || line.front() == '#') {
      comments += line + '\n';
      continue;
    }
    rows.push_back(row_of(line));
    rows.back().comments = std::exchange(comments, {});
    if (!runs.insert(rows.back().run).second) throw std::runtime_error("listed twice: " + line);
  }
  if (!comments.empty()) throw std::runtime_error("no run follows: " + comments);
  return rows;
}

void write_times(std::ostream& to, const std::vector<times_row>& rows) {
  for (const times_row& row : rows) {
    to << row.comments << row.run;
    if (is_timed(row)) to << separator << row.now.ns << ' ' << row.now.bytes << ' ' << row.base_ns;
    if (!row.reason.empty()) to << separator << row.limit << ' ' << row.reason;
    to << '\n';
  }
}

std::vector<std::string> faults(const std::vector<times_row>& rows,
                                const std::vector<modelled>& made) {
  std::vector<std::string> found;
  const auto differs = [&](const times_row& row, const char* what, std::int64_t is,
                           std::int64_t was) {
    if (is_far(is, was, run_share))
      found.push_back(row.run + ": " + std::to_string(is) + ' ' + what + ", " +
                      std::to_string(was) + " in the table");
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const times_row& row = rows[i];
    if (!is_timed(row)) {
      found.push_back(row.run + ": is not timed yet");
      continue;
    }
    differs(row, "ns", made[i].ns, row.now.ns);
    differs(row, "bytes", made[i].bytes, row.now.bytes);
    if (ratio(made[i].ns, row.base_ns) > row.limit)
      found.push_back(row.run + ": " + std::to_string(made[i].ns) + " ns, " +
                      ratio_text(ratio(made[i].ns, row.base_ns)) + " of its base, at most " +
                      ratio_text(row.limit));
  }
  const means mean(rows, made);
  if (std::abs(mean.of_now - 1) > mean_share)
    found.push_back("the mean of all runs is " + ratio_text(mean.of_now) + " of the table's");
  if (mean.of_base > 1 + mean_share)
    found.push_back("the mean of all runs is " + ratio_text(mean.of_base) + " of the bases'");
  return found;
}

std::vector<std::string> moves(const std::vector<times_row>& rows,
                               const std::vector<modelled>& made) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const times_row& row = rows[i];
    if (made[i] == row.now) continue;
    std::string text = row.run + ": " + std::to_string(made[i].ns) + " ns";
    if (is_timed(row))
      text += ", was " + std::to_string(row.now.ns) + ": " +
              ratio_text(ratio(made[i].ns, row.now.ns)) + " of now, " +
              ratio_text(ratio(made[i].ns, row.base_ns)) + " of base";
    else
      text += ", is new";
    if (is_timed(row) && made[i].bytes != row.now.bytes)
      text +=
          "; " + std::to_string(made[i].bytes) + " bytes, were " + std::to_string(row.now.bytes);
    found.push_back(std::move(text));
  }
  const means mean(rows, made);
  found.push_back(std::to_string(found.size()) + " of " + std::to_string(rows.size()) +
                  " runs moved; the mean is " + ratio_text(mean.of_now) + " of now, " +
                  ratio_text(mean.of_base) + " of base");
  return found;
}

void renew(std::vector<times_row>& rows, const std::vector<modelled>& made) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].now = made[i];
    if (!is_timed(rows[i])) rows[i].base_ns = made[i].ns;
  }
}

}  // namespace papilio::test
