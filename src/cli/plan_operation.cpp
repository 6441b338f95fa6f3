#include "cli/plan_operation.hpp"

#include <algorithm>
#include <array>

#include "cli/common.hpp"
#include "cli/expression_parser.hpp"
#include "papilio/signal/window.hpp"

namespace papilio::cli {

const char* const plan_grammar =
    "EXPR is NAME SIZES, for example \"fft 1024\", \"rfft 128 x 4096\", \"gemm 2048x2048x2048\":\n"
    "  fft ifft rfft irfft        [LINES x] N\n"
    "  dct idct dst idst          [LINES x] N; of type 2, others as dct-1, idst-4\n"
    "  fft2 ifft2 rfft2 irfft2    [ARRAYS x] ROWS x COLUMNS\n"
    "  fftn ifftn rfftn irfftn    N1 x N2 x ... of one array\n"
    "  stft istft                 SAMPLES [n_fft=2048] [hop=512] [channels=1]; of stft\n"
    "                             [result=complex|magnitude|power]; Hann windows, centred\n"
    "  gemm                       [BATCH x] M x K x N [elements=real|complex]\n"
    "  product                    N: complex numbers times complex numbers; mask is the same\n"
    "  layer                      ROWS x FEATURES [function=crelu|zrelu|modrelu|real_mask|\n"
    "                             magnitude|power|bias|batch_norm|running_norm], and gradients,\n"
    "                             as function=modrelu_vjp; of complex numbers\n"
    "Sizes are those of the real side for rfft and irfft, and whole numbers or powers: 2^20.";

namespace {

/// Of inverses behind "i".
struct name_entry {
  const char* name;
  fft_kind kind;
  std::size_t axes;  // 0: all sizes
};
constexpr std::array<name_entry, 8> operation_names{{{"fft", fft_kind::complex, 1},
                                                     {"rfft", fft_kind::real, 1},
                                                     {"fft2", fft_kind::complex, 2},
                                                     {"rfft2", fft_kind::real, 2},
                                                     {"fftn", fft_kind::complex, 0},
                                                     {"rfftn", fft_kind::real, 0},
                                                     {"dct", fft_kind::cosine, 1},
                                                     {"dst", fft_kind::sine, 1}}};

/// The entry, with the direction and the type of a cosine or sine transform.
const name_entry& name_of(expression_parser& p, direction& dir, int& trigonometric_type) {
  const std::size_t first = p.position();
  p.letters();
  if (p.next() == '2' && p.position() > first) p.skip();
  std::string_view word = p.from(first);
  dir = word.starts_with('i') ? direction::inverse : direction::forward;
  if (dir == direction::inverse) word.remove_prefix(1);
  const auto* const entry =
      std::ranges::find_if(operation_names, [&](const name_entry& e) { return word == e.name; });
  if (entry == operation_names.end())
    p.fail(!p.from(first).empty()               ? "there is no such operation"
           : p.next() >= 'A' && p.next() <= 'Z' ? "names of operations are in lower case"
                                                : "the name of an operation is expected",
           first);
  trigonometric_type = (entry->kind == fft_kind::cosine || entry->kind == fft_kind::sine) ? 2 : 0;
  if (trigonometric_type != 0 && p.next() == '-') {
    p.skip();
    if (p.next() < '1' || p.next() > '4') p.fail("types are 1 to 4", p.position());
    trigonometric_type = p.next() - '0';
    p.skip();
  }
  p.require_space_after_name();
  return *entry;
}

constexpr const char* too_many = "so many elements have more bytes than there are addresses";

/// Bytes of so many operands. resource_error where they are more than there are addresses.
double bytes_of(const operand_shape& s, std::size_t times, real_type type) {
  std::size_t bytes = checked_multiply(times, size_of(type) * (s.is_complex ? 2 : 1), "bytes");
  for (const std::size_t extent : s.extents) bytes = checked_multiply(bytes, extent, "bytes");
  checked_cast<std::ptrdiff_t>(bytes, "bytes");
  return static_cast<double>(bytes);
}

/// NAME=VALUE behind the sizes. `read` reads the value, or fails where it stands.
struct setting {
  const char* name;
  std::function<void(expression_parser&)> read;
};

setting size_setting(const char* name, placed_size& size) {
  return {name, [&size](expression_parser& p) {
            size.at = p.position();
            size.value = p.size();
          }};
}

template <class Value>
setting word_setting(const char* name, Value& value,
                     std::vector<std::pair<std::string, Value>> words) {
  return {name, [&value, words = std::move(words)](expression_parser& p) {
            const std::size_t at = p.position();
            const std::string_view word = p.word();
            std::string known;
            for (const auto& [text, meaning] : words) {
              if (text == word) {
                value = meaning;
                return;
              }
              known += (known.empty() ? "" : ", ") + text;
            }
            p.fail(fmt::format("one of {} is expected", known), at);
          }};
}

void read_settings(expression_parser& p, const std::vector<setting>& all) {
  std::string known;
  for (const setting& s : all) known += (known.empty() ? "" : ", ") + std::string(s.name);
  std::vector<std::string_view> given;
  for (p.skip_spaces(); !p.at_end(); p.skip_spaces()) {
    const std::size_t at = p.position();
    const std::string_view name = p.word();
    const auto found = std::ranges::find_if(all, [&](const setting& s) { return name == s.name; });
    if (found == all.end())
      p.fail(all.empty() ? "the end is expected" : fmt::format("a setting is expected: {}", known),
             at);
    if (std::ranges::find(given, name) != given.end())
      p.fail(fmt::format("{} is given twice", name), at);
    given.push_back(name);
    if (p.next() != '=') p.fail(fmt::format("\"=\" is expected after {}", name), p.position());
    p.skip();
    found->read(p);
    if (!p.at_end() && p.next() != ' ' && p.next() != '\t')
      p.fail("a space and a setting, or the end, is expected", p.position());
  }
}

std::size_t one_size(expression_parser& p, std::string_view name) {
  const std::vector<placed_size> sizes = p.sizes();
  if (sizes.size() > 1) p.fail(fmt::format("one size too many: {} takes one", name), sizes[1].at);
  return sizes[0].value;
}

std::vector<float> hann(std::size_t n) {
  const array<float, 1> weights = make_window<float>(window_kind::hann, n);
  return {weights.data(), weights.data() + n};
}

/// Windows are as long, and so is what kernels make of them.
constexpr std::size_t most_n_fft = std::size_t{1} << 24;

/// Where they stand in the expression; 0 where it has none of them.
struct segment_settings {
  placed_size n_fft, hop, channels;

  std::vector<setting> list() {
    return {size_setting("n_fft", n_fft), size_setting("hop", hop),
            size_setting("channels", channels)};
  }
};

/// Takes what was given; fails where a segment is not one.
template <class Problem>
void take_segments(const expression_parser& p, const segment_settings& given, Problem& s) {
  if (given.n_fft.value > 0) s.n_fft = given.n_fft.value;
  if (given.hop.value > 0) s.hop = given.hop.value;
  if (given.channels.value > 0) s.channels = given.channels.value;
  if (s.n_fft < 2 || s.n_fft > most_n_fft)
    p.fail(fmt::format("n_fft must be 2 to {}, is {}", most_n_fft, s.n_fft), given.n_fft.at);
  if (s.hop > s.n_fft)
    p.fail(given.hop.value > 0
               ? fmt::format("hop must be at most n_fft, {}, is {}", s.n_fft, s.hop)
               : fmt::format("n_fft must be at least hop, {} where it is not given, is {}", s.hop,
                             s.n_fft),
           given.hop.value > 0 ? given.hop.at : given.n_fft.at);
}

operation short_time(expression_parser& p) {
  stft_problem s;
  s.samples = one_size(p, "stft");
  segment_settings given;
  std::vector<setting> all = given.list();
  all.push_back(word_setting<spectrum_form>("result", s.result,
                                            {{"complex", spectrum_form::complex},
                                             {"magnitude", spectrum_form::magnitude},
                                             {"power", spectrum_form::power}}));
  read_settings(p, all);
  take_segments(p, given, s);
  s.window = hann(s.n_fft);
  return s;
}

operation short_time_inverse(expression_parser& p) {
  istft_problem s;
  s.samples = one_size(p, "istft");
  segment_settings given;
  read_settings(p, given.list());
  take_segments(p, given, s);
  const stft_problem forward{.samples = s.samples, .n_fft = s.n_fft, .hop = s.hop};
  s.segments = shapes_of(forward).out[0].extents[1];
  s.window = hann(s.n_fft);
  return s;
}

operation matrix_product(expression_parser& p, real_type type) {
  gemm_problem g{.type = type};
  std::vector<placed_size> sizes = p.sizes();
  constexpr const char* takes = "gemm takes M x K x N, and at most a number of products before";
  if (sizes.size() < 3)
    p.fail(fmt::format("\"x\" and a size are expected: {}", takes), p.position());
  if (sizes.size() > 4) p.fail(fmt::format("one size too many: {}", takes), sizes[4].at);
  if (sizes.size() == 4) {
    g.batch = sizes[0].value;
    sizes.erase(sizes.begin());
  }
  g.m = sizes[0].value;
  g.k = sizes[1].value;
  g.n = sizes[2].value;
  read_settings(
      p, {word_setting<bool>("elements", g.is_complex, {{"real", false}, {"complex", true}})});
  return g;
}

operation numbers(expression_parser& p, std::string_view name) {
  const operation what = product_problem{.count = one_size(p, name)};
  read_settings(p, {});
  return what;
}

operation layer(expression_parser& p) {
  const std::vector<placed_size> sizes = p.sizes();
  if (sizes.size() != 2)
    p.fail("layer takes ROWS x FEATURES", sizes.size() < 2 ? p.position() : sizes[2].at);
  layer_problem what{.rows = sizes[0].value, .features = sizes[1].value, .epsilon = 1e-5};
  std::vector<std::pair<std::string, layer_function>> words;
  for (const layer_function f : layer_functions()) words.emplace_back(to_string(f), f);
  read_settings(p, {word_setting<layer_function>("function", what.function, words)});
  return what;
}

planned_transform transform(expression_parser& p, std::string_view text, real_type type) {
  planned_transform t;
  const std::size_t name_at = p.position();
  const name_entry& entry = name_of(p, t.problem.dir, t.problem.trigonometric_type);
  t.name = text.substr(name_at, p.position() - name_at);
  p.skip_spaces();
  const std::size_t sizes_at = p.position();
  std::vector<placed_size> sizes = p.sizes();
  if (!p.at_end())
    p.fail(fmt::format("the end is expected: {} has no settings", t.name), p.position());
  const std::size_t axes = entry.axes == 0 ? sizes.size() : entry.axes;
  if (sizes.size() < axes)
    p.fail(fmt::format("\"x\" and a second size are expected: {} takes two sizes", t.name),
           p.position());
  if (sizes.size() > axes + 1)
    p.fail(fmt::format("one size too many: {} takes {} and at most one number of {} before", t.name,
                       axes == 1 ? "one size" : "two sizes", axes == 1 ? "lines" : "arrays"),
           sizes[axes + 1].at);
  if (sizes.size() == axes + 1) {
    t.lines = sizes.front().value;
    sizes.erase(sizes.begin());
  }
  if (t.problem.trigonometric_type == 1 && sizes[0].value < 2 && entry.kind == fft_kind::cosine)
    p.fail("a cosine transform of type 1 has at least 2 points", sizes[0].at);
  t.problem.kind = entry.kind;
  t.problem.type = type;
  t.problem.axes.clear();
  for (std::size_t i = 0; i < axes; ++i) t.problem.axes.push_back(i);
  t.problem.extents.clear();
  for (const placed_size& s : sizes) t.problem.extents.push_back(s.value);
  try {
    const operand_shapes arrays = t.problem.shapes();
    t.bytes_in = bytes_of(arrays.in[0], t.lines, type);
    t.bytes_out = bytes_of(arrays.out[0], t.lines, type);
  } catch (const resource_error&) {
    p.fail(too_many, sizes_at);
  }
  t.nominal_flops = static_cast<double>(t.lines) * t.problem.nominal_flops();
  return t;
}

bool is_transform(std::string_view name) {
  constexpr std::string_view others[] = {"stft", "istft", "gemm", "product", "mask", "layer"};
  return std::ranges::find(others, name) == std::end(others);
}

}  // namespace

operation array_of(fft_problem problem, std::size_t lines) {
  if (lines == 1) return problem;
  problem.extents.insert(problem.extents.begin(), lines);
  for (std::size_t& axis : problem.axes) ++axis;
  return problem;
}

planned_operation parse_operation(std::string_view text, real_type type) {
  expression_parser p(text);
  p.skip_spaces();
  const std::string_view name = p.letters();
  if (is_transform(name)) {
    p = expression_parser(text);
    p.skip_spaces();
    planned_transform t = transform(p, text, type);
    return {t.name, array_of(t.problem, t.lines), std::move(t)};
  }
  p.require_space_after_name();
  p.skip_spaces();
  const std::size_t at = p.position();
  const bool is_gemm = name == "gemm";
  operation what;
  try {
    what = is_gemm           ? matrix_product(p, type)
           : name == "stft"  ? short_time(p)
           : name == "istft" ? short_time_inverse(p)
           : name == "layer" ? layer(p)
                             : numbers(p, name);
    const operand_shapes shapes = shapes_of(what);
    for (const auto* side : {&shapes.in, &shapes.out})
      for (const operand_shape& s : *side) bytes_of(s, 1, real_type::double_precision);
  } catch (const resource_error&) {
    p.fail(too_many, at);
  }
  if (type == real_type::extended_precision || (!is_gemm && type != real_type::single_precision))
    throw usage_error("--type: {} is compared in float{}", name, is_gemm ? " or double" : "");
  return {std::string(name), std::move(what), std::nullopt};
}

}  // namespace papilio::cli
