#include "cli/terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "cli/common.hpp"

namespace papilio::cli {
namespace {

constexpr const char* place = "standard output";

/// Under the picture stand a line of report and the prompt.
constexpr std::size_t minimum_rows = render_detail::minimum_terminal_rows + 2;

render_detail::terminal_size size_of_terminal() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row, size.ws_xpixel, size.ws_ypixel};
}

void require_room(const render_detail::terminal_size& size) {
  using render_detail::minimum_terminal_columns;
  if (size.columns < minimum_terminal_columns || size.rows < minimum_rows)
    throw io_error(place,
                   fmt::format("--terminal needs {} x {} characters, the terminal has {} x {}",
                               minimum_terminal_columns, minimum_rows, size.columns, size.rows));
}

/// While it lives, what the terminal answers comes at once and is not shown.
class unechoed {
 public:
  unechoed() {
    // In the background, changing the terminal would stop the program.
    if (::tcgetpgrp(STDOUT_FILENO) != ::getpgrp() || ::tcgetattr(STDOUT_FILENO, &before_) != 0)
      return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    is_set_ = ::tcsetattr(STDOUT_FILENO, TCSANOW, &raw) == 0;
  }
  ~unechoed() {
    if (is_set_) ::tcsetattr(STDOUT_FILENO, TCSANOW, &before_);
  }
  unechoed(const unechoed&) = delete;
  unechoed& operator=(const unechoed&) = delete;

  bool is_set() const { return is_set_; }

 private:
  termios before_{};
  bool is_set_ = false;
};

/// Asks the terminal and reads its answer, which ends with its device attributes or a timeout.
std::string answer_to(const std::string& question) {
  const unechoed quiet;
  if (!quiet.is_set()) return {};
  print(question);
  std::string answer;
  constexpr int patience_ms = 300;
  for (pollfd waiting{STDOUT_FILENO, POLLIN, 0}; ::poll(&waiting, 1, patience_ms) > 0;) {
    char bytes[256];
    const ssize_t got = ::read(STDOUT_FILENO, bytes, sizeof bytes);
    if (got <= 0) break;
    answer.append(bytes, static_cast<std::size_t>(got));
    const std::size_t attributes = answer.find("\033[?");
    if (attributes != std::string::npos && answer.find('c', attributes) != std::string::npos) break;
  }
  return answer;
}

/// The numbers between `begin` and `end` in a text.
std::vector<std::string> numbers_between(const std::string& text, const char* begin, char end) {
  const std::size_t first = text.find(begin);
  if (first == std::string::npos) return {};
  const std::size_t from = first + std::string(begin).size(), to = text.find(end, from);
  return to == std::string::npos ? std::vector<std::string>()
                                 : split_words(text.substr(from, to - from), ';');
}

}  // namespace

terminal::terminal(const std::string& graphics) {
  if (::isatty(STDOUT_FILENO) != 1)
    throw io_error(place, "is no terminal, which --terminal needs; -o writes a file");
  const char* const kind = std::getenv("TERM");
  if (kind != nullptr && std::string(kind) == "dumb")
    throw io_error(place, "TERM is dumb: the terminal shows no colours, which --terminal needs");
  require_room(size_of_terminal());
  if (graphics == "blocks") return;
  // kitty's protocol answers a query of one pixel; 16 t asks for a character's size in pixels; every
  // terminal answers c, its attributes, of which 4 is sixel.
  const std::string answer = answer_to("\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\033[16t\033[c");
  const std::vector<std::string> sizes = numbers_between(answer, "\033[6;", 't');
  const auto pixels = [&](std::size_t i) { return read_number<std::size_t>(sizes[i]).value_or(0); };
  if (sizes.size() == 2 && pixels(0) > 0 && pixels(0) < 1000 && pixels(1) > 0 && pixels(1) < 1000) {
    cell_height_ = pixels(0);
    cell_width_ = pixels(1);
  }
  const std::vector<std::string> attributes = numbers_between(answer, "\033[?", 'c');
  if (graphics == "kitty" || (graphics == "auto" && answer.find("_Gi=31;OK") != std::string::npos))
    graphics_ = terminal_graphics::kitty;
  else if (graphics == "sixel" ||
           std::ranges::find(attributes, std::string("4")) != attributes.end())
    graphics_ = terminal_graphics::sixel;
}

terminal::~terminal() {
  if (!hides_cursor_) return;
  std::fputs("\033[?25h", stdout);
  std::fflush(stdout);
}

std::vector<std::string> terminal::fitting(const std::vector<std::string>& lines,
                                           std::size_t others) const {
  const render_detail::terminal_size size = size_of_terminal();
  require_room(size);
  std::vector<std::string> shown;
  for (const std::string& line : lines) {
    if (!shown.empty() &&
        shown.size() + others + 1 + render_detail::minimum_terminal_rows >= size.rows)
      break;
    shown.emplace_back(first_columns(line, size.columns));
  }
  return shown;
}

std::size_t terminal::lines_of(const std::string& text) const {
  std::size_t lines = 1;
  const std::size_t columns = std::max<std::size_t>(1, size_of_terminal().columns);
  for (std::string_view rest = text; rest.size() > first_columns(rest, columns).size(); ++lines)
    rest.remove_prefix(std::max<std::size_t>(1, first_columns(rest, columns).size()));
  return lines;
}

void terminal::show(spectrogram_picture picture, bool in_place, std::size_t lines_below) {
  const render_detail::terminal_size size = size_of_terminal();
  require_room(size);
  // A wide terminal is not filled to its height, and the last line is the prompt's.
  const std::size_t columns = size.columns, most = size.rows - 1;
  const std::size_t rows =
      std::clamp(most - std::min(most, lines_below), render_detail::minimum_terminal_rows,
                 std::max<std::size_t>(18, columns * 3 / 10));
  picture.title = printable(picture.title);
  for (spectrogram_panel& panel : picture.panels) panel.name = printable(panel.name);
  std::string text;
  if (in_place && !hides_cursor_) {
    hides_cursor_ = true;
    text += "\033[?25l";
  }
  if (in_place && shown_rows_ > 0) {
    const bool same = size.columns == shown_.columns && size.rows == shown_.rows;
    text += same ? fmt::format("\033[{}A\r", shown_rows_) : std::string("\033[2J\033[H");
  }
  const std::size_t wide = size.pixel_width > 0 ? size.pixel_width / columns : cell_width_;
  const std::size_t high = size.pixel_height > 0 ? size.pixel_height / size.rows : cell_height_;
  const bool has_pixels =
      columns * wide >= minimum_picture_width && rows * high >= minimum_picture_height;
  if (graphics_ == terminal_graphics::blocks || !has_pixels) {
    for (const std::string& line : render_detail::terminal_lines(picture, columns, rows))
      text += line + "\n";
  } else {
    picture.width = std::min(columns * wide, maximum_picture_side);
    picture.height = std::min(rows * high, maximum_picture_side);
    // Lines are made first, so that nothing scrolls while the picture is drawn.
    text += fmt::format("{}\033[{}A\0337", std::string(rows, '\n'), rows);
    text += graphics_ == terminal_graphics::kitty
                ? render_detail::terminal_kitty_image(picture, columns, rows)
                : render_detail::terminal_sixels(picture);
    text += fmt::format("\0338\033[{}B\r", rows);
  }
  // Where the terminal can, what comes between the two appears at once.
  print("\033[?2026h" + text + "\033[?2026l");
  shown_ = size;
  shown_rows_ = rows;
}

}  // namespace papilio::cli
