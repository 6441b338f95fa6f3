#include "cli/plan_call.hpp"

#include <complex>
#include <map>
#include <optional>

#include "papilio/contract/contraction_plan.hpp"
#include "papilio/decompose.hpp"
#include "papilio/signal/welch.hpp"
#include "papilio/transform/convolution.hpp"
#include "papilio/transform/frequencies.hpp"

namespace papilio::cli {
namespace {

using size_list = std::vector<std::size_t>;

/// A size that has no preset.
struct named_size {
  const char* name;
  std::size_t* value;
};

/// Reads the settings; fails at the end where one of `required` was not given.
void read_sizes(expression_parser& p, std::string_view of, const std::vector<named_size>& required,
                std::vector<setting> more = {}) {
  std::vector<placed_size> given(required.size());
  std::vector<setting> all;
  for (std::size_t i = 0; i < required.size(); ++i)
    all.push_back(size_setting(required[i].name, given[i]));
  all.insert(all.end(), more.begin(), more.end());
  read_settings(p, all);
  for (std::size_t i = 0; i < required.size(); ++i) {
    if (given[i].value == 0)
      p.fail(fmt::format("{} needs {}=SIZE", of, required[i].name), p.position());
    *required[i].value = given[i].value;
  }
}

/// Extents before the settings.
size_list extents_of(expression_parser& p, std::string_view name, std::size_t least,
                     std::size_t most) {
  const std::vector<placed_size> all = p.sizes();
  if (all.size() < least)
    p.fail(fmt::format("{} takes at least {}", name, counted(least, "size")), p.position());
  if (all.size() > most)
    p.fail(fmt::format("one size too many: {} takes at most {}", name, most), all[most].at);
  size_list extents;
  for (const placed_size& s : all) extents.push_back(s.value);
  return extents;
}

/// An array that is in no memory: functions that are explained read extents alone.
template <class T>
tensor_view<const T> without_elements(const size_list& extents) {
  return {static_cast<const T*>(nullptr), extents};
}

/// Returns the operation that call(on, number) is, of a number of the type.
template <class Call>
planned_operation typed_call(real_type type, Call call) {
  return {.call = [=](const execution& on) {
    if (type == real_type::double_precision)
      call(on, double());
    else
      call(on, float());
  }};
}

/// resource_error where they have more bytes than there are addresses.
void require_addresses(const size_list& extents) {
  bytes_of({extents, true}, 1, real_type::double_precision);
}

/// Labels of one letter each, with their sizes.
struct labelled_operands {
  std::string subscripts;
  std::vector<size_list> extents;
};

labelled_operands read_subscripts(expression_parser& p, bool& is_complex) {
  const std::size_t first = p.position();
  const auto is_label = [](char c) { return is_letter(c) || is_capital(c); };
  while (is_label(p.next()) || p.next() == ',' || p.next() == '-' || p.next() == '>') p.skip();
  labelled_operands found{.subscripts = std::string(p.from(first)), .extents = {}};
  if (found.subscripts.empty() || (!p.at_end() && !is_space(p.next())))
    p.fail("letters, commas and an arrow are expected, as ij,jk->ik", p.position());
  const std::string operands = found.subscripts.substr(0, found.subscripts.find('-'));
  std::map<char, placed_size> labels;
  for (const char c : operands)
    if (is_label(c)) labels.try_emplace(c);
  std::vector<std::string> names;  // which settings point to
  names.reserve(labels.size());
  std::vector<setting> all;
  for (auto& [label, size] : labels) {
    names.emplace_back(1, label);
    all.push_back(size_setting(names.back().c_str(), size));
  }
  all.push_back(elements_setting(is_complex));
  read_settings(p, all);
  for (const auto& [label, size] : labels)
    if (size.value == 0) p.fail(fmt::format("{0}=SIZE is missing", label), p.position());
  found.extents.emplace_back();
  for (const char c : operands)
    if (c == ',')
      found.extents.emplace_back();
    else if (is_label(c))  // another character is for the library to refuse
      found.extents.back().push_back(labels.at(c).value);
  for (const size_list& extents : found.extents) require_addresses(extents);
  return found;
}

template <class T>
void plan_einsum(const labelled_operands& of, const execution& on) {
  std::vector<tensor_view<const T>> operands;
  for (const size_list& extents : of.extents) operands.push_back(without_elements<T>(extents));
  plan_contraction<T>(of.subscripts, operands, {.on = on});
}

}  // namespace

planned_operation read_einsum(expression_parser& p, std::string_view, real_type type) {
  bool is_complex = false;
  const labelled_operands of = read_subscripts(p, is_complex);
  return typed_call(type, [=]<class T>(const execution& on, T) {
    if (is_complex)
      plan_einsum<std::complex<T>>(of, on);
    else
      plan_einsum<T>(of, on);
  });
}

planned_operation read_triangle(expression_parser& p, std::string_view name, real_type type) {
  using enum triangle_function;
  triangle_problem t{.type = type};
  for (const triangle_function f : {symm, syrk, trmm, trsm})
    if (name == to_string(f)) t.function = f;
  const bool is_update = t.function == syrk, is_triangular = t.function >= trmm;
  std::vector<setting> all{word_setting<matrix_triangle>("triangle", t.triangle,
                                                         {{"lower", matrix_triangle::lower},
                                                          {"upper", matrix_triangle::upper}}),
                           elements_setting(t.is_complex)};
  if (!is_update)
    all.push_back(word_setting<matrix_side>(
        "side", t.side, {{"left", matrix_side::left}, {"right", matrix_side::right}}));
  if (is_update || is_triangular)
    all.push_back(word_setting<bool>("op", t.transposed, {{"none", false}, {"transpose", true}}));
  if (is_triangular)
    all.push_back(word_setting<bool>("diagonal", t.unit, {{"stored", false}, {"unit", true}}));
  read_sizes(p, name, {{is_update ? "k" : "m", is_update ? &t.k : &t.m}, {"n", &t.n}}, all);
  return {.what = t};
}

planned_operation read_integrals(expression_parser& p, std::string_view name, real_type type) {
  integral_transform_problem i{.type = type};
  read_sizes(p, name,
             {{"nbasis", &i.nbasis}, {"nocc", &i.nocc}, {"nvir", &i.nvir}, {"naux", &i.naux}},
             {word_setting<bool>("metric", i.has_metric, {{"no", false}, {"yes", true}})});
  return {.what = i};
}

planned_operation read_pair_energies(expression_parser& p, std::string_view name, real_type type) {
  pair_energy_problem e{.type = type};
  std::optional<placed_size> frozen;
  placed_size nocc_other, nvir_other;
  read_sizes(p, name, {{"nocc", &e.nocc}, {"nvir", &e.nvir}, {"naux", &e.naux}},
             {count_setting("frozen", frozen), size_setting("nocc_other", nocc_other),
              size_setting("nvir_other", nvir_other),
              word_setting<pair_spins>("spins", e.spins,
                                       {{"closed_shell", pair_spins::closed_shell},
                                        {"same_spin", pair_spins::same_spin},
                                        {"opposite_spin", pair_spins::opposite_spin}}),
              word_setting<pair_function>("function", e.function,
                                          {{"energies", pair_function::energies},
                                           {"vjp", pair_function::vjp},
                                           {"jvp", pair_function::jvp}})});
  const bool has_others = e.spins == pair_spins::opposite_spin;
  for (const placed_size& other : {nocc_other, nvir_other}) {
    if (has_others && other.value == 0)
      p.fail("spins=opposite_spin needs nocc_other=SIZE and nvir_other=SIZE", p.position());
    if (!has_others && other.value > 0)
      p.fail("sizes of another spin are for spins=opposite_spin", other.at);
  }
  if (has_others) {
    e.nocc_other = nocc_other.value;
    e.nvir_other = nvir_other.value;
  }
  if (frozen && (frozen->value >= e.nocc || (has_others && frozen->value >= e.nocc_other)))
    p.fail("frozen must leave an occupied orbital", frozen->at);
  if (frozen) e.frozen = frozen->value;
  return {.what = e};
}

planned_operation read_decomposition(expression_parser& p, std::string_view name, real_type type) {
  const size_list extents = extents_of(p, name, 2, most_sizes);
  require_addresses(extents);
  std::size_t rank = 0;
  placed_size iterations;
  cp_start start = cp_start::random;
  bool is_hooi = true;
  std::vector<setting> more;
  if (name != "tt") more.push_back(size_setting("iterations", iterations));
  if (name == "cp")
    more.push_back(word_setting<cp_start>("start", start,
                                          {{"random", cp_start::random}, {"svd", cp_start::svd}}));
  if (name == "tucker")
    more.push_back(word_setting<bool>("method", is_hooi, {{"hooi", true}, {"hosvd", false}}));
  read_sizes(p, name, {{"rank", &rank}}, more);
  if (!is_hooi && iterations.value > 0) p.fail("iterations are for method=hooi", iterations.at);
  size_list ranks;  // none above its extent
  for (const std::size_t n : extents) ranks.push_back(std::min(n, rank));
  return typed_call(type, [=, name = std::string(name)]<class T>(const execution& on, T) {
    const auto x = without_elements<T>(extents);
    if (name == "tt") {
      tt_svd(x, {.max_ranks = {rank}, .on = on});
    } else if (name == "tucker" && !is_hooi) {
      tucker_sthosvd(x, {.ranks = ranks, .on = on});
    } else if (name == "tucker") {
      hooi_options options{.ranks = ranks, .on = on};
      if (iterations.value > 0) options.max_iterations = iterations.value;
      tucker_hooi(x, options);
    } else {
      cp_options<T> options{.start = start, .on = on};
      if (iterations.value > 0) options.max_iterations = iterations.value;
      cp_als(x, rank, options);
    }
  });
}

planned_operation read_welch(expression_parser& p, std::string_view name, real_type type) {
  const std::size_t samples = one_size(p, name);
  placed_size segment, channels;
  std::optional<placed_size> overlap;
  const std::size_t first = p.position();
  read_settings(p, {size_setting("nperseg", segment), count_setting("noverlap", overlap),
                    size_setting("channels", channels)});
  welch_options o{.detrend = detrending::none};
  constexpr std::size_t most = std::size_t{1} << 24;
  if (segment.value > most) p.fail(fmt::format("nperseg must be at most {}", most), segment.at);
  if (segment.value > 0) o.segment_length = segment.value;
  if (overlap) o.overlap = overlap->value;
  if (overlap && overlap->value >= o.segment_length)
    p.fail(
        fmt::format("noverlap must be below nperseg, {}, is {}", o.segment_length, overlap->value),
        overlap->at);
  if (samples < o.segment_length)
    p.fail(fmt::format("there must be nperseg samples, {}, or more, got {}", o.segment_length,
                       samples),
           segment.value > 0 ? segment.at : first);
  const size_list extents{std::max<std::size_t>(channels.value, 1), samples};
  require_addresses(extents);
  return typed_call(type, [=]<class T>(const execution& on, T) {
    welch(view<const T, 2>(nullptr, {extents[0], extents[1]}), o, on);
  });
}

planned_operation read_convolution(expression_parser& p, std::string_view name, real_type type) {
  const std::size_t n = one_size(p, name);
  std::size_t filter = 0;
  convolution_mode mode = convolution_mode::full;
  read_sizes(p, name, {{"filter", &filter}},
             {word_setting<convolution_mode>("mode", mode,
                                             {{"full", convolution_mode::full},
                                              {"same", convolution_mode::same},
                                              {"valid", convolution_mode::valid}})});
  require_addresses({checked_add(n, filter, "convolution: size")});
  return typed_call(type, [=]<class T>(const execution& on, T) {
    fftconvolve(view<const T, 1>(nullptr, {n}), view<const T, 1>(nullptr, {filter}),
                {.mode = mode, .on = on});
  });
}

planned_operation read_chirp(expression_parser& p, std::string_view name, real_type type) {
  size_list extents = extents_of(p, name, 1, 2);
  if (extents.size() == 1) extents.insert(extents.begin(), 1);
  placed_size points;
  read_settings(p, {size_setting("m", points)});
  const std::size_t m = points.value > 0 ? points.value : extents[1];
  require_addresses({extents[0], checked_add(extents[1], m, "czt: size")});
  return typed_call(type, [=]<class T>(const execution& on, T) {
    using C = std::complex<T>;
    czt(view<const C, 2>(nullptr, {extents[0], extents[1]}),
        {.m = static_cast<std::ptrdiff_t>(m), .on = on});
  });
}

}  // namespace papilio::cli
