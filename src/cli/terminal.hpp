#pragma once

#include <string>
#include <vector>

#include "cli/flags.hpp"
#include "render/terminal_picture.hpp"

namespace papilio::cli {

/// How pictures are drawn on a terminal.
enum class terminal_graphics { blocks, sixel, kitty };

/// Where --terminal shows pictures: standard output. Pictures follow each other, or one takes the
/// place of the one before.
class terminal {
 public:
  /// `graphics` is "auto", which asks the terminal, or the way. io_error where standard output is no
  /// terminal, is a dumb one, or is too small.
  explicit terminal(const std::string& graphics);
  ~terminal();
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;

  /// Shows the picture as large as the terminal is now, less so many lines as follow it and one for
  /// the prompt, and leaves the cursor below it.
  /// `in_place`: where the last one stands, if the terminal still has its size.
  void show(spectrogram_picture picture, bool in_place, std::size_t lines_below);

  /// As many of these lines, without their ends, as a picture of the least size and so many other
  /// lines leave room for, at least one; each is cut off at the terminal's width.
  std::vector<std::string> fitting(const std::vector<std::string>& lines, std::size_t others) const;
  /// Lines that a text takes whose ends are the terminal's.
  std::size_t lines_of(const std::string& text) const;

  terminal_graphics graphics() const { return graphics_; }

 private:
  terminal_graphics graphics_ = terminal_graphics::blocks;
  std::size_t cell_width_ = 10, cell_height_ = 20;  ///< where the terminal does not say
  render_detail::terminal_size shown_;
  std::size_t shown_rows_ = 0;
  bool hides_cursor_ = false;
};

}  // namespace papilio::cli
