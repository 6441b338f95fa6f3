#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cases.hpp"
#include "run_case.hpp"

namespace papilio::bench {

/// Prints the rows as they come, and the means and the legend at the end.
class report {
 public:
  /// `json`: the file that gets everything as well, or nothing; std::runtime_error at once if it
  /// cannot be written.
  report(std::string json, const std::string& heading);

  /// `share` of the roofline.
  void add(const bench_case& c, const result& r, double share);

  /// Whether no row and no mean is below its floor and every result was right.
  bool finish();

 private:
  struct row {
    bench_case c;
    result r;
    double share;
    bool is_slow() const {
      return r.of_fftw() < least_of_fftw || (r.has_mkl() && r.of_mkl() < least_of_mkl);
    }
    bool is_good() const { return agrees(c, r) && !is_slow(); }
  };
  struct mean {
    std::string group;
    double of_fftw, of_mkl, of_faster, worst;
    std::size_t rows, rows_of_all;
    bool is_complete() const { return rows == rows_of_all; }
    bool is_good() const {
      return !is_complete() || (group == "smooth" ? of_fftw : of_faster) >= least_mean(group);
    }
  };
  std::vector<mean> means() const;
  void write_json(const std::vector<mean>& all);

  struct close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string json_, heading_;
  std::unique_ptr<std::FILE, close> file_;
  std::vector<row> rows_;
};

}  // namespace papilio::bench
