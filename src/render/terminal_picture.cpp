#include "render/terminal_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "papilio/base/error.hpp"
#include "render/frequency_marks.hpp"
#include "render/level_raster.hpp"
#include "render/spectrogram_sheet.hpp"
#include "render/theme.hpp"

namespace papilio::render_detail {
namespace {

/// Every character is one unit wide.
class cell_ruler : public text_ruler {
 public:
  double text_width(const std::string& utf8, double, double = any_width) const final {
    return static_cast<double>(std::ranges::count_if(
        utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
  }
};

/// A character of the screen: a glyph on a ground, or two pixels one above the other.
struct character_cell {
  std::string glyph = " ";
  rgb front, back;
};

class cell_grid {
 public:
  cell_grid(std::size_t columns, std::size_t rows, const theme_colors& theme)
      : columns_(columns),
        theme_(theme),
        cells_(columns * rows, character_cell{" ", theme.ink, theme.paper}) {}

  /// `y` in half characters.
  void set(std::size_t x, std::size_t y, const rgb& color) {
    character_cell& of = cells_[y / 2 * columns_ + x];
    if (of.glyph != "\u2580") of = {"\u2580", theme_.paper, theme_.paper};
    (y % 2 == 0 ? of.front : of.back) = color;
  }
  /// One glyph for each character; what does not fit is cut off at the right.
  void write(const std::string& utf8, std::size_t x, std::size_t row) {
    for (std::size_t at = 0; at < utf8.size() && x < columns_; ++x) {
      std::size_t end = at + 1;
      while (end < utf8.size() && (static_cast<unsigned char>(utf8[end]) & 0xc0) == 0x80) ++end;
      const bool is_control = static_cast<unsigned char>(utf8[at]) < 0x20 || utf8[at] == 0x7f;
      cells_[row * columns_ + x] = {is_control ? " " : utf8.substr(at, end - at), theme_.ink,
                                    theme_.paper};
      at = end;
    }
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (std::size_t first = 0; first < cells_.size(); first += columns_) {
      std::string line;
      std::optional<rgb> front, back;
      for (std::size_t x = 0; x < columns_; ++x) {
        const character_cell& of = cells_[first + x];
        if (front != of.front)
          line += fmt::format("\033[38;2;{};{};{}m", of.front.red, of.front.green, of.front.blue);
        if (back != of.back)
          line += fmt::format("\033[48;2;{};{};{}m", of.back.red, of.back.green, of.back.blue);
        front = of.front;
        back = of.back;
        line += of.glyph;
      }
      lines.push_back(line + "\033[0m");
    }
    return lines;
  }

 private:
  std::size_t columns_;
  theme_colors theme_;
  std::vector<character_cell> cells_;
};

constexpr std::size_t label_columns = 7, strip_rows = 3, bar_columns = 24;

/// Draws a picture into a grid of characters, whose lines are, from the top: the title, panels, each
/// under its name where there are several, a strip, the labels of the axis below, and the colours.
class cell_picture {
 public:
  cell_picture(const spectrogram_picture& picture, std::size_t columns, std::size_t rows)
      : picture_(picture),
        columns_(columns),
        rows_(rows),
        grid_(columns, rows, colors_of(picture.theme, "terminal_lines")),
        palette_(palette_of(picture)) {
    const bool beside = picture.arrangement == panel_arrangement::side_by_side;
    const std::size_t count = picture.panels.size(), names = count > 1 ? 1 : 0;
    const std::size_t high = rows - 3 - (picture.strip ? strip_rows : 0), wide = columns - left_;
    const std::size_t each_high = beside ? high : high / count, gap = 2;
    const std::size_t each_wide = beside ? (wide + gap) / count - gap : wide;
    if (each_high < names + 2 || each_wide > wide || each_wide < 4)
      throw invalid_argument(base_detail::message("terminal_lines: panels must fit ", columns,
                                                  " x ", rows, " characters, not ", count));
    for (std::size_t p = 0; p < count; ++p)
      panels_.push_back({left_ + (beside ? p * (each_wide + gap) : 0),
                         1 + (beside ? 0 : p * each_high) + names, each_wide, each_high - names});
  }

  std::vector<std::string> lines() {
    for (std::size_t p = 0; p < panels_.size(); ++p) draw_panel(p);
    if (picture_.strip) draw_strip(*picture_.strip);
    draw_axes();
    draw_legend();
    return grid_.lines();
  }

 private:
  /// Centred in the first line, or as near to that as the title of the axis at the left lets it.
  void draw_title(const std::string& left_title) {
    const auto width = [&](const std::string& text) {
      return static_cast<std::size_t>(ruler_.text_width(text, 1));
    };
    const std::size_t inside = columns_ - std::min(columns_, width(picture_.title));
    grid_.write(picture_.title, std::max(inside / 2, width(left_title) + 2), 0);
    grid_.write(left_title, 0, 0);
  }

  void draw_panel(std::size_t p) {
    const plot_extent& e = panels_[p];
    if (panels_.size() > 1) grid_.write(picture_.panels[p].name, e.left, e.top - 1);
    level_raster raster = raster_of(picture_, p, {0, 0, e.width, 2 * e.height});
    std::vector<std::uint8_t> steps(e.width);
    for (std::size_t y = 0; y < 2 * e.height; ++y) {
      raster.draw_row(y, steps);
      for (std::size_t x = 0; x < e.width; ++x)
        grid_.set(e.left + x, 2 * e.top + y, palette_[steps[x]]);
    }
    for (const frequency_mark& mark : picture_.marks) draw_mark(mark, e);
  }

  void draw_mark(const frequency_mark& mark, const plot_extent& e) {
    const frequency_axis axis{picture_.scale, picture_.low_hz, picture_.high_hz};
    if (!(mark.hz >= axis.low_hz && mark.hz <= axis.high_hz)) return;
    const std::size_t along = picture_.waterfall ? e.width : 2 * e.height;
    const auto at = std::min(
        along - 1, static_cast<std::size_t>(axis.place(mark.hz) * static_cast<double>(along)));
    const auto width = static_cast<std::size_t>(ruler_.text_width(mark.name, 1));
    if (width >= e.width) return;
    plot_extent name{e.left + e.width - width, e.top + (along - 1 - at) / 2, width, 1};
    if (picture_.waterfall)
      name = {e.left + std::min(at - std::min(at, width / 2), e.width - width), e.top, width, 1};
    const auto is_taken = [&](const plot_extent& other) {
      return name.top == other.top && name.left <= other.left + other.width &&
             other.left <= name.left + name.width;
    };
    while (picture_.waterfall && std::ranges::any_of(names_, is_taken)) ++name.top;
    if (name.top >= e.top + e.height || std::ranges::any_of(names_, is_taken)) return;
    names_.push_back(name);
    grid_.write(mark.name, name.left, name.top);
  }

  void draw_strip(const spectrogram_strip& strip) {
    const std::size_t top = rows_ - 2 - strip_rows, height = 2 * strip_rows;
    const plot_extent& e = panels_.front();
    const theme_colors theme = colors_of(picture_.theme, "terminal_lines");
    const auto place = [&](float value) { return (value - strip.low) / (strip.high - strip.low); };
    for (std::size_t x = 0; x < e.width; ++x) {
      const level_range range = levels_of_pixel(x, e.width, strip.lower.size());
      float low = strip.lower[range.first], high = strip.upper[range.first];
      for (std::size_t i = range.first; i < range.last; ++i) {
        low = std::min(low, strip.lower[i]);
        high = std::max(high, strip.upper[i]);
      }
      for (std::size_t y = 0; y < height; ++y) {
        const auto pixels = static_cast<float>(height);
        const float from = static_cast<float>(height - 1 - y) / pixels, to = from + 1 / pixels;
        // The pixel holds the curve's middle, or most of it lies between the curves.
        const float middle = (from + to) / 2, centre = (place(low) + place(high)) / 2;
        const bool is_filled = (middle >= place(low) && middle < place(high)) ||
                               (centre >= from && centre < to && high >= low);
        grid_.set(e.left + x, 2 * top + y, is_filled ? theme.ink : theme.paper);
      }
    }
    grid_.write(strip.unit, 0, top + 1);
  }

  axis_marks frequencies(double length, running way) const {
    return frequency_marks_of(ruler_, {picture_.scale, picture_.low_hz, picture_.high_hz}, length,
                              em(way), label_columns, way);
  }
  axis_marks times(double length, running way) const {
    return time_marks_of(ruler_, picture_.start_seconds, picture_.duration_seconds, length, em(way),
                         label_columns, way);
  }
  /// Two halves of a character, a line's height, are 1.2 ems; labels beside each other stand two
  /// characters apart.
  static double em(running way) { return way == running::up ? 2 / least_line_ems : 2; }

  void draw_axes() {
    const bool falls = picture_.waterfall;
    const auto high = 2 * static_cast<double>(panels_.front().height);
    const auto wide = static_cast<double>(panels_.front().width);
    const axis_marks left =
        falls ? reversed(times(high, running::up)) : frequencies(high, running::up);
    const axis_marks below =
        falls ? frequencies(wide, running::right) : times(wide, running::right);
    for (const plot_extent& e : panels_) {
      if (e.left == left_)
        for (const label& mark : left.labels) {
          const auto up = static_cast<std::size_t>(left.where.pixel(mark.at, 1));
          const auto width = static_cast<std::size_t>(ruler_.text_width(mark.text, 1));
          grid_.write(mark.text, left_ - 1 - std::min(width, left_ - 1),
                      e.top + (2 * e.height - 1 - up) / 2);
        }
      if (e.top + e.height == panels_.back().top + panels_.back().height)
        for (const label& mark : below.labels) {
          const auto at = e.left + static_cast<std::size_t>(below.where.pixel(mark.at, 1));
          const auto width = static_cast<std::size_t>(ruler_.text_width(mark.text, 1));
          grid_.write(mark.text, std::min(at - std::min(at, width / 2), columns_ - width),
                      rows_ - 2);
        }
    }
    draw_title(left.title);
    below_title_ = below.title;
  }

  /// "Time (s)                      -91 ▀▀▀▀▀▀▀▀ -11 dBFS"
  void draw_legend() {
    const std::string low = end_text(picture_.floor_db, 0.5),
                      high = fmt::format("{} {}", end_text(picture_.ceiling_db, 0.5),
                                         picture_.level_unit);
    const auto width = static_cast<std::size_t>(ruler_.text_width(low + high, 1)) + 2;
    const std::size_t bar = std::min(bar_columns, columns_ - std::min(columns_, width));
    std::size_t x = columns_ - std::min(columns_, width + bar);
    const auto title_width = static_cast<std::size_t>(ruler_.text_width(below_title_, 1));
    if (left_ + title_width + 1 < x) grid_.write(below_title_, left_, rows_ - 1);
    grid_.write(low, x, rows_ - 1);
    x += static_cast<std::size_t>(ruler_.text_width(low, 1)) + 1;
    for (std::size_t i = 0; i < bar; ++i)
      for (std::size_t half = 0; half < 2; ++half)
        grid_.set(
            x + i, 2 * (rows_ - 1) + half,
            color_at(picture_.colors, (static_cast<double>(i) + 0.5) / static_cast<double>(bar)));
    grid_.write(high, x + bar + 1, rows_ - 1);
  }

  static constexpr std::size_t left_ = label_columns + 1;

  const spectrogram_picture& picture_;
  std::size_t columns_, rows_;
  cell_ruler ruler_;
  cell_grid grid_;
  std::vector<rgb> palette_;
  std::vector<plot_extent> panels_;  // in characters
  std::vector<plot_extent> names_;   // of marked frequencies
  std::string below_title_;
};

}  // namespace

std::vector<std::string> terminal_lines(const spectrogram_picture& picture, std::size_t columns,
                                        std::size_t rows) {
  if (columns < minimum_terminal_columns || rows < minimum_terminal_rows)
    throw invalid_argument(base_detail::message(
        "terminal_lines: columns and rows must be ", minimum_terminal_columns, " and ",
        minimum_terminal_rows, " at least, not ", columns, " and ", rows));
  return cell_picture(checked_panels("terminal_lines", picture), columns, rows).lines();
}

}  // namespace papilio::render_detail
