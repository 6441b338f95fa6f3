#include <fmt/format.h>

#include <algorithm>

#include "cli/published_report.hpp"

namespace papilio::cli {

using namespace kernels::published;

namespace {

// "n_fft=512,hop=256 (63 frames ...)" without what is in parentheses behind.
std::string name_of(const table_row& row) {
  const std::string shape(row.shape);
  return std::string(row.op) + " " + shape.substr(0, shape.find(" ("));
}

std::string version_of(const table_row& row) {
  return std::string(row.version.substr(0, row.version.find(" (")));
}

std::string microseconds(const std::optional<double>& us) {
  if (!us) return "-";
  return *us < 99.95 ? fmt::format("{:.1f}", *us) : fmt::format("{:.0f}", *us);
}

std::string percent(double fraction) { return fmt::format("{:+.1f} %", 100 * fraction); }

/// Columns as wide as their widest cell, numbers set to the right; the first and the last
/// `words_behind` of them are words.
class text_table {
 public:
  explicit text_table(std::vector<std::string> head, std::size_t words_behind = 0)
      : rows_{std::move(head)}, words_from_(rows_[0].size() - words_behind) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string text() const {
    std::vector<std::size_t> widths(rows_[0].size());
    for (const auto& row : rows_)
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string all;
    for (const auto& row : rows_) {
      std::string line = fmt::format("{:<{}}", row[0], widths[0]);
      for (std::size_t i = 1; i < row.size(); ++i)
        line += i < words_from_ ? fmt::format("  {:>{}}", row[i], widths[i])
                                : fmt::format("  {:<{}}", row[i], widths[i]);
      all += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return all;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
  std::size_t words_from_;
};

std::string model_text(const published_report& report) {
  text_table table({"published on the device", "published", "launch", "copy", "fetch", "device",
                    "model", "residual", "host terms", "model + host", "residual"});
  for (const modelled_row& r : report.rows)
    table.add({name_of(*r.row), microseconds(r.row->us), microseconds(r.run.launch_seconds * 1e6),
               microseconds(r.run.upload.seconds * 1e6), microseconds(r.run.fetch.seconds * 1e6),
               microseconds(r.run.device_seconds * 1e6), microseconds(r.without_host_us()),
               percent(r.residual_without_host()), microseconds(r.host.total_us()),
               microseconds(r.modelled_us()), percent(r.residual())});
  return fmt::format(
             "Published times and the model of what ran, us, on {} with {}.\nHost terms are of the "
             "published programs: {} us a point and call for a bit reversal,\n{} us a point for "
             "Bluestein's chirps.\n\n",
             report.machine,
             report.runtime.empty() ? "the runtime of each row's SDK" : report.runtime,
             report.terms.bit_reversal_us, report.terms.chirp_us) +
         table.text();
}

std::string ours_text(const published_report& report) {
  std::vector<std::string> backends;
  for (const host_times& times : report.hosts)
    for (const auto& [name, us] : times)
      if (std::ranges::find(backends, name) == backends.end()) backends.push_back(name);
  std::vector<std::string> head = {"the same with papilio's kernels",
                                   "published",
                                   "device",
                                   "ours",
                                   "speed-up",
                                   "published host"};
  for (const std::string& name : backends) head.push_back(name + ", here");
  text_table table(head);
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const modelled_row& r = report.rows[i];
    std::vector<std::string> cells = {name_of(*r.row), microseconds(r.row->us)};
    if (r.ours) {
      cells.push_back(microseconds(r.ours->device_seconds * 1e6));
      cells.push_back(microseconds(r.ours->total_seconds() * 1e6));
      cells.push_back(fmt::format("{:.2f} x", *r.speedup()));
    } else {
      cells.insert(cells.end(), {"-", "-", "no kernel"});
    }
    cells.push_back(microseconds(published_host_us(*r.row)));
    for (const std::string& name : backends) {
      const auto at = report.hosts[i].find(name);
      cells.push_back(at == report.hosts[i].end() ? "-" : microseconds(at->second));
    }
    table.add(cells);
  }
  return "One launch, operands copied in and the result out, tables resident (modelled, us)" +
         std::string(backends.empty() ? ""
                                      : ";\nhere: measured on this host, CPU time of one "
                                        "thread, the shortest of at least three runs") +
         ".\n\n" + table.text();
}

std::vector<std::string> unmodelled_cells(const published_report& report, const table_row& row) {
  const auto step = std::ranges::find(report.steps, &row, &step_row::row);
  const bool has_ours = step != report.steps.end();
  return {name_of(row), microseconds(row.us),
          has_ours ? microseconds(step->ours.device_seconds * 1e6) : "-",
          has_ours ? microseconds(step->ours.total_seconds() * 1e6) : "-", std::string(row.note)};
}

std::string unmodelled_text(const published_report& report) {
  text_table not_device(
      {"not modelled: not, or not only, the device", "published", "device", "ours", "why"}, 1),
      host({"on the host, as published", "us", "path", "version"}, 2);
  for (const table_row& row : table()) {
    if (row.where == row_place::device) continue;
    if (row.where == row_place::host)
      host.add({name_of(row), microseconds(row.us), std::string(row.path), version_of(row)});
    else
      not_device.add(unmodelled_cells(report, row));
  }
  return not_device.text() + "\n" + host.text();
}

std::string summary_text(const published_report& report) {
  text_table table({"residuals", "SDK", "rows", "mean", "without host terms", "largest"}, 1);
  for (const residual_group& g : residual_groups(report))
    table.add({g.name, g.sdk.empty() ? "not named" : g.sdk, std::to_string(g.rows),
               fmt::format("{:.1f} %", 100 * g.mean),
               fmt::format("{:.1f} %", 100 * g.mean_without_host),
               fmt::format("{:.1f} %, {}", 100 * g.largest, g.largest_row)});
  return table.text();
}

std::string gap_text(const std::vector<fused_mp2_gap>& gaps) {
  if (gaps.empty()) return {};
  std::string text = "Fused MP2: what is missing\n";
  for (const fused_mp2_gap& g : gaps)
    text += fmt::format(
        "  {}: {:.0f} us of {:.0f}. Launch and copies are {:.0f} us, the program {:.0f}. Were all "
        "of\n    the gap the program's, it would take {:.0f} us, {:.0f} times as long; its "
        "engines, "
        "one after\n    the other without any overlap, account for {:.0f}.\n",
        g.row->row->shape, g.gap_us, g.row->row->us,
        g.row->without_host_us() - g.row->run.device_seconds * 1e6, g.row->run.device_seconds * 1e6,
        g.program_us, g.program_us / (g.row->run.device_seconds * 1e6), g.serial_us);
  const fused_mp2_gap &a = gaps.front(), &b = gaps.back();
  if (b.pairs <= a.pairs) return text;
  const double more = b.pairs - a.pairs, grown = (b.row->row->us - a.row->row->us) / more,
               modelled = (b.row->run.device_seconds - a.row->run.device_seconds) * 1e6 / more,
               serial = (b.serial_us - a.serial_us) / more;
  return text +
         fmt::format(
             "  From the one to the other the published time grows by {:.1f} us for each of {:.0f} "
             "pairs, where\n    the program has {:.1f} us a pair, {:.1f} without overlap. So "
             "the program's time explains\n    neither row nor their difference; a cost in every "
             "call that grows with the program, which\n    is unrolled over pairs, would: its "
             "authors name 15 to 40 ms of dispatch and compilation.\n",
             grown, more, modelled, serial);
}

}  // namespace

std::string published_text(const published_report& report, const std::vector<fused_mp2_gap>& gaps) {
  return model_text(report) + "\n" + ours_text(report) + "\n" + unmodelled_text(report) + "\n" +
         summary_text(report) + "\n" + gap_text(gaps);
}

}  // namespace papilio::cli
