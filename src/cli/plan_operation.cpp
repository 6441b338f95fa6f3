#include "cli/plan_operation.hpp"

#include <algorithm>
#include <array>

#include "cli/common.hpp"
#include "cli/expression_parser.hpp"
#include "cli/plan_call.hpp"
#include "papilio/signal/host_signals.hpp"
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
    "  symm trmm trsm             m=M n=N of B [side=left|right] [triangle=lower|upper]\n"
    "                             [elements=real|complex]; trmm, trsm [op=none|transpose]\n"
    "                             [diagonal=stored|unit]\n"
    "  syrk                       n=N k=K: A A^T, A N x K [triangle=lower] [op=transpose: A^T A]\n"
    "  einsum                     ij,jk->ik LABEL=SIZE ... [elements=real|complex]\n"
    "  ao_to_mo                   nbasis= nocc= nvir= naux= [metric=no|yes]\n"
    "  mp2                        nocc= nvir= naux= [frozen=0] [function=energies|vjp|jvp] "
    "[spins=\n"
    "                             closed_shell|same_spin|opposite_spin, nocc_other= nvir_other=]\n"
    "  cp tucker tt               N1 x N2 x ... rank=R; cp, tucker [iterations=100|50], cp\n"
    "                             [start=random|svd], tucker [method=hooi|hosvd]\n"
    "  welch                      SAMPLES [nperseg=256] [noverlap=nperseg / 2] [channels=1]\n"
    "  convolution                N filter=M [mode=full|same|valid]\n"
    "  czt                        [LINES x] N [m=N]; of complex numbers\n"
    "  product                    N: complex numbers times complex numbers; mask is the same\n"
    "  layer                      ROWS x FEATURES [function=crelu|zrelu|modrelu|real_mask|\n"
    "                             magnitude|power|bias|batch_norm|running_norm], and gradients,\n"
    "                             as function=modrelu_vjp; of complex numbers\n"
    "Sizes are those of the real side for rfft and irfft, and whole numbers or powers: 2^20.";

namespace {

/// A transform's name; inverses have "i" before it.
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

planned_operation short_time(expression_parser& p, std::string_view, real_type) {
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
  return {.what = s};
}

planned_operation short_time_inverse(expression_parser& p, std::string_view, real_type) {
  istft_problem s;
  s.samples = one_size(p, "istft");
  segment_settings given;
  read_settings(p, given.list());
  take_segments(p, given, s);
  const stft_problem forward{.samples = s.samples, .n_fft = s.n_fft, .hop = s.hop};
  s.segments = shapes_of(forward).out[0].extents[1];
  s.window = hann(s.n_fft);
  return {.what = s};
}

planned_operation matrix_product(expression_parser& p, std::string_view, real_type type) {
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
  read_settings(p, {elements_setting(g.is_complex)});
  return {.what = g};
}

planned_operation numbers(expression_parser& p, std::string_view name, real_type) {
  const product_problem what{.count = one_size(p, name)};
  read_settings(p, {});
  return {.what = what};
}

planned_operation layer(expression_parser& p, std::string_view, real_type) {
  const std::vector<placed_size> sizes = p.sizes();
  if (sizes.size() != 2)
    p.fail("layer takes ROWS x FEATURES", sizes.size() < 2 ? p.position() : sizes[2].at);
  layer_problem what{.rows = sizes[0].value, .features = sizes[1].value, .epsilon = 1e-5};
  std::vector<std::pair<std::string, layer_function>> words;
  for (const layer_function f : layer_functions()) words.emplace_back(to_string(f), f);
  read_settings(p, {word_setting<layer_function>("function", what.function, words)});
  return {.what = what};
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

/// Reads what stands behind a name.
struct operation_entry {
  std::string_view name;
  planned_operation (*read)(expression_parser& p, std::string_view name, real_type type);
  bool has_double = true;
};

constexpr operation_entry entries[] = {{"stft", short_time, false},
                                       {"istft", short_time_inverse, false},
                                       {"layer", layer, false},
                                       {"product", numbers, false},
                                       {"mask", numbers, false},
                                       {"gemm", matrix_product},
                                       {"symm", read_triangle},
                                       {"syrk", read_triangle},
                                       {"trmm", read_triangle},
                                       {"trsm", read_triangle},
                                       {"einsum", read_einsum},
                                       {"ao_to_mo", read_integrals},
                                       {"mp2", read_pair_energies},
                                       {"cp", read_decomposition},
                                       {"tucker", read_decomposition},
                                       {"tt", read_decomposition},
                                       {"welch", read_welch},
                                       {"convolution", read_convolution},
                                       {"czt", read_chirp}};

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
  const std::string_view name = p.word();
  const auto* const entry = std::ranges::find(entries, name, &operation_entry::name);
  if (entry == std::end(entries)) {
    p = expression_parser(text);
    p.skip_spaces();
    planned_transform t = transform(p, text, type);
    return {t.name, array_of(t.problem, t.lines), std::move(t)};
  }
  p.require_space_after_name();
  p.skip_spaces();
  const std::size_t at = p.position();
  planned_operation planned;
  try {
    planned = entry->read(p, name, type);
    const operand_shapes shapes = shapes_of(planned.what);
    for (const auto* side : {&shapes.in, &shapes.out})
      for (const operand_shape& s : *side) bytes_of(s, 1, real_type::double_precision);
  } catch (const resource_error&) {
    p.fail(too_many, at);
  }
  if (type == real_type::extended_precision ||
      (!entry->has_double && type != real_type::single_precision))
    throw usage_error("--type: {} is compared in float{}", name,
                      entry->has_double ? " or double" : "");
  planned.name = name;
  return planned;
}

comparison sides_of(const planned_operation& planned, const execution& on) {
  if (!planned.call) return explain(planned.what, on, host_signals());
  std::optional<comparison> sides = explain_call(on, planned.call);
  if (!sides)
    throw invalid_argument(planned.name +
                           ": only the host computes it so, there is nothing to compare");
  return *std::move(sides);
}

}  // namespace papilio::cli
