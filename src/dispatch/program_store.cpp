#include "dispatch/program_store.hpp"

#include <algorithm>
#include <variant>

namespace papilio::dispatch_detail {

namespace {

// held() returns the bytes that a value has on the heap; a struct of numbers holds none.
template <class T>
double held(const std::vector<T>& v);
template <class Struct>
double held(const Struct&) {
  return 0;
}
double held(const operand_shape& s) { return held(s.extents); }
double held(const fft_problem& p) { return held(p.extents) + held(p.axes); }
double held(const stft_problem& p) { return held(p.window) + held(p.mel); }
double held(const istft_problem& p) { return held(p.window); }
double held(const product_problem& p) { return held(p.factors); }
double held(const arrangement_problem::box& b) {
  return held(b.from) + held(b.to) + held(b.extents);
}
double held(const arrangement_problem& p) {
  return held(p.in_extents) + held(p.out_extents) + held(p.boxes);
}
double held(const contraction_problem::term& t) { return held(t.labels); }
double held(const contraction_problem::step& s) { return held(s.of) + held(s.labels); }
double held(const contraction_problem::loop& l) { return held(l.labels); }
double held(const contraction_problem& p) {
  return held(p.sizes) + held(p.operands) + held(p.steps) + held(p.results) + held(p.loops);
}
double held(const pipeline_step& s) {
  return std::visit([](const auto& p) { return held(p); }, s.what);
}
double held(const submission& s) { return held(s.steps) + held(s.arrays.in) + held(s.arrays.out); }

template <class T>
double held(const std::vector<T>& v) {
  double bytes = static_cast<double>(v.size() * sizeof(T));
  if constexpr (!std::is_arithmetic_v<T>)
    for (const T& one : v) bytes += held(one);
  return bytes;
}

double bytes_of(const program_store::key& k) {
  const double of_operation = std::visit([](const auto& p) { return held(p); }, k.what);
  return sizeof(k) + of_operation + held(k.submissions);
}

}  // namespace

template <class Value>
std::optional<Value> program_store::find(entries<Value>& kept, const key& k) {
  const auto found = std::ranges::find(kept.list, k, &entry<Value>::k);
  if (found == kept.list.end()) return std::nullopt;
  kept.list.splice(kept.list.begin(), kept.list, found);
  return found->value;
}

template <class Value>
void program_store::keep(entries<Value>& kept, const key& k, Value value) {
  kept.list.push_front({k, std::move(value), bytes_of(k)});
  kept.key_bytes += kept.list.front().key_bytes;
}

template <class Value>
void program_store::drop_last(entries<Value>& kept) {
  kept.key_bytes -= kept.list.back().key_bytes;
  kept.list.pop_back();
}

program_store::shared_program program_store::program(const key& k,
                                                     const std::function<shared_program()>& build) {
  const std::lock_guard lock(mutex_);
  if (auto known = find(programs_, k)) return *known;
  shared_program built = build();
  keep(programs_, k, built);
  table_bytes_ += built->table_bytes();
  while (programs_.list.size() > 1 && (programs_.list.size() > kept_operations::most_programs ||
                                       table_bytes_ > kept_operations::most_table_bytes ||
                                       programs_.key_bytes > kept_operations::most_key_bytes)) {
    table_bytes_ -= programs_.list.back().value->table_bytes();
    drop_last(programs_);
  }
  return built;
}

bool program_store::decision(const key& k, const std::function<bool()>& decide) {
  const std::lock_guard lock(mutex_);
  if (auto known = find(decisions_, k)) return *known;
  const bool decided = decide();
  keep(decisions_, k, decided);
  while (decisions_.list.size() > 1 && (decisions_.list.size() > kept_operations::most_decisions ||
                                        decisions_.key_bytes > kept_operations::most_key_bytes))
    drop_last(decisions_);
  return decided;
}

kept_operations program_store::kept() {
  const std::lock_guard lock(mutex_);
  return {.programs = programs_.list.size(),
          .decisions = decisions_.list.size(),
          .table_bytes = table_bytes_,
          .program_key_bytes = programs_.key_bytes,
          .decision_key_bytes = decisions_.key_bytes};
}

}  // namespace papilio::dispatch_detail
