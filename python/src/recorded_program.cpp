#include "recorded_program.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

#include "papilio/base/error.hpp"
#include "papilio/engine/instruction_fields.hpp"

namespace papilio::python {

using base_detail::message;
using engine::memory_space;
using engine::run_mode;

namespace {

constexpr std::size_t nobody = ~std::size_t{0};

template <class Field>
constexpr bool refers =
    std::is_same_v<Field, engine::tile_view> || std::is_same_v<Field, engine::hbm_view> ||
    std::is_same_v<Field, engine::dma_operand> || std::is_same_v<Field, engine::scalar_operand>;

std::int64_t bytes_of(const recorded_tile& t) {
  return t.columns * std::int64_t(engine::size_bytes(t.type));
}

// Elements of a partition from the first that the reference reaches to past the last.
std::pair<std::int64_t, std::int64_t> reach(const reference& r) {
  std::int64_t lo = r.offset, hi = r.offset + 1;
  for (const engine::pattern_dim& d : r.dims())
    (d.stride < 0 ? lo : hi) += (d.extent - 1) * d.stride;
  return {lo, hi};
}

bool may_meet(const reference& a, const reference& b) {
  if (a.memory != b.memory || a.partition >= b.partition + b.partitions ||
      b.partition >= a.partition + a.partitions)
    return false;
  const auto [a_lo, a_hi] = reach(a);
  const auto [b_lo, b_hi] = reach(b);
  return a_lo < b_hi && b_lo < a_hi;
}

// Whether an instruction whose result lies in a tile like `from` could write to one like `to`.
bool can_write(const engine::instruction& i, const recorded_tile& from, const recorded_tile& to) {
  if (from.type != to.type && !(engine::is_float(from.type) && engine::is_float(to.type)))
    return false;
  return std::visit(
      [&]<class One>(const One& one) {
        using namespace engine;
        const bool fixed =
            std::is_same_v<One, matmul> || std::is_same_v<One, matmul_mx> ||
            std::is_same_v<One, engine::transpose> || std::is_same_v<One, dma_transpose> ||
            std::is_same_v<One, stream_shuffle> || std::is_same_v<One, engine::select> ||
            std::is_same_v<One, tensor_copy_predicated> || std::is_same_v<One, local_gather> ||
            std::is_same_v<One, n_gather>;
        if (fixed && from.type != to.type) return false;
        if (from.space == to.space) return true;
        const unit on = one.runs_on();
        return on == unit::vector || on == unit::scalar;
      },
      i);
}

// The flag of a product by which it adds to what PSUM holds; null for other instructions.
bool* accumulate_of(engine::instruction& i) {
  if (auto* const product = std::get_if<engine::matmul>(&i)) return &product->accumulate;
  if (auto* const product = std::get_if<engine::matmul_mx>(&i)) return &product->accumulate;
  return nullptr;
}

bool is_product(const engine::instruction& i) {
  return std::holds_alternative<engine::matmul>(i) || std::holds_alternative<engine::matmul_mx>(i);
}

// The engine whose reduce registers an instruction has a command for, and the command.
std::optional<std::pair<engine::unit, engine::reduce_command>> command_of(
    const engine::instruction& i) {
  return std::visit(
      [](const auto& one) -> std::optional<std::pair<engine::unit, engine::reduce_command>> {
        if constexpr (requires { one.command; })
          return std::pair(one.runs_on(), one.command);
        else
          return std::nullopt;
      },
      i);
}

// Whether two instructions may not change places, as one sets reduce registers of the other's
// engine.
bool share_registers(const engine::instruction& a, const engine::instruction& b) {
  const auto one = command_of(a), other = command_of(b);
  constexpr auto idle = engine::reduce_command::idle;
  return one && other && one->first == other->first &&
         (one->second != idle || other->second != idle);
}

}  // namespace

std::int64_t reference::elements() const {
  std::int64_t count = 1;
  for (const engine::pattern_dim& d : dims()) count *= d.extent;
  return count;
}

bool reference::selects_same(const reference& other) const {
  return memory == other.memory && partition == other.partition && partitions == other.partitions &&
         offset == other.offset && std::ranges::equal(dims(), other.dims());
}

int recorded_program::add_tile(const recorded_tile& tile) {
  tiles_.push_back(tile);
  return int(tiles_.size()) - 1;
}

int recorded_program::add_tensor(const engine::tensor_shape& shape, tensor_role role) {
  shape.bytes();
  tensors_.push_back({shape, role});
  return ~(int(tensors_.size()) - 1);
}

recorded_tensor& recorded_program::tensor(std::size_t number) { return tensors_.at(number); }

std::uint32_t recorded_program::file(const std::string& name) {
  // The last ones first: a kernel is mostly one file.
  for (std::size_t i = files_.size(); i-- > 0;)
    if (files_[i] == name) return std::uint32_t(i);
  files_.push_back(name);
  return std::uint32_t(files_.size() - 1);
}

void recorded_program::add(record next, std::span<const reference> references) {
  next.first = std::uint32_t(references_.size());
  next.count = std::uint32_t(references.size());
  references_.insert(references_.end(), references.begin(), references.end());
  records_.push_back(std::move(next));
}

std::string recorded_program::where(std::uint32_t file, int line) const {
  return message("kernel ", kernel_, ", ", files_[file], " line ", line);
}

std::vector<std::pair<std::string, int>> recorded_program::lines() const {
  std::vector<std::pair<std::string, int>> all;
  for (const record& r : records_)
    if (r.role != record_role::dropped) all.emplace_back(files_[r.file], r.line);
  return all;
}

std::vector<int> recorded_program::stored_tensors() const {
  std::set<int> stored;
  for (const reference& x : references_)
    if (x.writes && !x.is_tile()) stored.insert(x.memory);
  return {stored.begin(), stored.end()};
}

std::span<reference> recorded_program::references_of(const record& r) {
  return {references_.data() + r.first, r.count};
}

reference* recorded_program::written(const record& r) {
  for (reference& x : references_of(r))
    if (x.writes) return &x;
  return nullptr;
}

void recorded_program::settle() {
  merge_results();
  choose_overwriting();
}

// `copy` moves the result of `producer` to a place of the same size. Whether the producer may write
// there itself: nobody between them cares for the place, but to clear it.
bool recorded_program::takes_place_of(std::size_t producer, std::size_t copy,
                                      const reference& result, const reference& place) {
  const record& p = records_[producer];
  if (p.role == record_role::dropped || !place.is_tile() || place.memory == result.memory ||
      place.partitions != result.partitions || place.elements() != result.elements())
    return false;
  const reference* const out = written(p);
  if (out == nullptr || !out->selects_same(result)) return false;
  const recorded_tile &from = tiles_[std::size_t(result.memory)],
                      &to = tiles_[std::size_t(place.memory)];
  if (records_[copy].role == record_role::adds
          ? !is_product(p.what) || to.space != memory_space::psum
          : !can_write(p.what, from, to))
    return false;
  for (const reference& x : references_of(p))
    if (&x != out && may_meet(x, place) && !x.selects_same(place)) return false;
  for (std::size_t k = producer + 1; k < copy; ++k) {
    const record& between = records_[k];
    if (between.role == record_role::dropped) continue;
    if (share_registers(p.what, between.what)) return false;
    const bool clears = std::holds_alternative<engine::memset>(between.what);
    for (const reference& x : references_of(between)) {
      if (x.memory == place.memory && !clears) return false;
      for (const reference& y : references_of(p))
        if ((x.writes || y.writes) && x.memory == y.memory) return false;
    }
  }
  return true;
}

void recorded_program::merge_results() {
  struct use {
    std::size_t writer = nobody;
    int writes = 0, reads = 0;
  };
  std::vector<use> uses(tiles_.size());
  for (std::size_t i = 0; i < records_.size(); ++i)
    for (const reference& x : references_of(records_[i])) {
      if (!x.is_tile()) continue;
      use& u = uses[std::size_t(x.memory)];
      if (x.writes) u.writer = i;
      ++(x.writes ? u.writes : u.reads);
    }
  for (std::size_t i = 0; i < records_.size(); ++i) {
    record& r = records_[i];
    if (r.role != record_role::assigns && r.role != record_role::adds) continue;
    const reference place = *written(r), result = references_of(r).back();
    if (!result.is_tile()) continue;
    const use& made = uses[std::size_t(result.memory)];
    // Not far away, so that this takes time linear in the program's length.
    constexpr std::size_t nearby = 16;
    if (made.writes != 1 || made.reads != 1 || made.writer >= i || i - made.writer > nearby ||
        !takes_place_of(made.writer, i, result, place))
      continue;
    record moved = records_[made.writer];
    reference& out = *written(moved);
    const std::int8_t field = out.field;
    out = place;
    out.field = field;
    if (bool* const accumulate = accumulate_of(moved.what)) {
      *accumulate = false;
      moved.role = r.role == record_role::adds ? record_role::accumulates : record_role::plain;
    }
    records_[made.writer].role = record_role::dropped;
    r = std::move(moved);
  }
}

// PSUM adds up. A product overwrites where it is the first of its place, so that zeros which only
// products follow need not be written.
void recorded_program::choose_overwriting() {
  struct sums {
    std::set<std::pair<int, std::int64_t>> begun;
    std::size_t zeros = nobody;  // where they were written, if nobody but products came since
    bool zeroed = false;
  };
  std::unordered_map<std::int32_t, sums> banks;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    record& r = records_[i];
    if (r.role == record_role::dropped) continue;
    bool* const accumulate = accumulate_of(r.what);
    const auto* const set = std::get_if<engine::memset>(&r.what);
    for (const reference& x : references_of(r)) {
      if (!x.is_tile() || tiles_[std::size_t(x.memory)].space != memory_space::psum) continue;
      sums& s = banks[x.memory];
      if (accumulate == nullptr || !x.writes) s.zeros = nobody;
      if (set != nullptr && set->value == 0) {
        s.begun.clear();
        s.zeros = i;
        s.zeroed = true;
      }
      if (accumulate == nullptr || !x.writes) continue;
      if (s.zeros != nobody) records_[s.zeros].role = record_role::dropped;
      s.zeros = nobody;
      const bool first = s.begun.insert({x.partition, x.offset}).second;
      if (r.role == record_role::accumulates || (*accumulate && s.zeroed)) *accumulate = !first;
    }
  }
}

/// Issues a program to a core. Places that nobody needs are kept, and given away only where there is
/// no other room, those that are unused for longest first: loops get as many buffers as fit.
class replay {
 public:
  replay(recorded_program& program, engine::core& core, const engine::kernel_arguments& arguments)
      : program_(program),
        core_(core),
        last_use_(program.tiles_.size(), nobody),
        writes_(program.tiles_.size(), 0),
        places_(program.tiles_.size()),
        is_resident_(program.tiles_.size(), false),
        is_stored_(program.tensors_.size(), false) {
    std::size_t in = 0, out = 0;
    for (const recorded_tensor& t : program.tensors_) {
      if (t.role == tensor_role::scratch) {
        tensors_.push_back(core.hbm(t.shape.extents, t.shape.type));
        continue;
      }
      if (t.role != tensor_role::output) tensors_.push_back(arguments.in(in++));
      if (t.role == tensor_role::output) tensors_.push_back(arguments.out(out++));
      if (t.role == tensor_role::updated) tensors_.back() = arguments.out(out++);
    }
    for (std::size_t i = 0; i < program.records_.size(); ++i) {
      if (program.records_[i].role == record_role::dropped) continue;
      for (const reference& x : program.references_of(program.records_[i])) {
        if (x.is_tile()) {
          last_use_[std::size_t(x.memory)] = i;
          writes_[std::size_t(x.memory)] += x.writes;
        } else if (x.writes) {
          is_stored_[std::size_t(~x.memory)] = true;
        }
      }
    }
  }

  void issue_all() {
    for (std::size_t i = 0; i < program_.records_.size(); ++i) {
      record& r = program_.records_[i];
      if (r.role == record_role::dropped) continue;
      try {
        std::visit([&](auto& one) { issue(one, r); }, r.what);
      } catch (const error& e) {
        // The engine names the kernel too.
        std::string_view text = e.what();
        const std::string kernel = message("kernel ", program_.kernel_, ": ");
        if (text.starts_with(kernel)) text.remove_prefix(kernel.size());
        throw device_error(message(program_.where(r), ": ", text));
      }
      for (const reference& x : program_.references_of(r))
        if (x.is_tile() && last_use_[std::size_t(x.memory)] == i) retire(std::size_t(x.memory));
    }
  }

  std::uint64_t repeated_loads() const { return repeated_loads_; }
  std::uint64_t repeated_load_bytes() const { return repeated_load_bytes_; }

 private:
  template <class Instruction>
  void issue(Instruction& one, const record& r) {
    const std::span<const reference> references = program_.references_of(r);
    if constexpr (std::is_same_v<Instruction, engine::dma_copy>) note_load(references);
    auto next = references.begin();
    engine::for_each_field(one, [&]<class Field>(std::size_t place, Field& field) {
      if constexpr (refers<Field>)
        if (next != references.end() && std::size_t(next->field) == place) set(field, *next++);
    });
    core_.issue(one);
  }

  void set(engine::tile_view& field, const reference& x) {
    if (!x.is_tile()) throw shape_error("an operand must be on chip, is a tensor in HBM: load it");
    const auto t = std::size_t(x.memory);
    if (!is_resident_[t]) place(t);
    const engine::tile_view& whole = places_[t];
    field = (x.partitions == whole.partitions() ? whole
                                                : whole.partition_range(x.partition, x.partitions))
                .pattern(x.offset, x.dims());
  }
  void set(engine::hbm_view& field, const reference& x) {
    if (x.is_tile()) throw shape_error("an operand must be a tensor in HBM, is on chip");
    field = tensors_[std::size_t(~x.memory)].pattern(x.offset, x.dims());
  }
  void set(engine::dma_operand& field, const reference& x) {
    x.is_tile() ? set(field.tile, x) : set(field.hbm, x);
  }
  void set(engine::scalar_operand& field, const reference& x) { set(field.tile, x); }

  std::deque<std::size_t>& retired(memory_space space) { return retired_[std::size_t(space)]; }

  void place(std::size_t number) {
    const recorded_tile& t = program_.tiles_[number];
    const bool sbuf = t.space == memory_space::sbuf;
    const std::int64_t bytes = bytes_of(t);
    std::deque<std::size_t>& unused = retired(t.space);
    const auto gap = [&] { return sbuf ? core_.sbuf_gap_bytes() : core_.psum_gap_bytes(); };
    while (gap() < bytes && !unused.empty()) {
      places_[unused.front()] = {};
      is_resident_[unused.front()] = false;
      unused.pop_front();
    }
    if (gap() < bytes) refuse(t);
    places_[number] = sbuf ? core_.sbuf(t.partitions, t.columns, t.type)
                           : core_.psum(t.partitions, t.columns, t.type);
    is_resident_[number] = true;
  }

  [[noreturn]] void refuse(const recorded_tile& t) {
    using kind = std::tuple<std::int64_t, int, std::int64_t, engine::dtype, int>;
    std::map<kind, int, std::greater<>> live;  // the largest first
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const recorded_tile& other = program_.tiles_[i];
      if (is_resident_[i] && other.space == t.space)
        ++live[{bytes_of(other), other.partitions, other.columns, other.type, -other.line}];
    }
    const bool sbuf = t.space == memory_space::sbuf;
    const engine::machine_spec& machine = core_.machine();
    std::string text = message(
        "a tile of ", t.partitions, " x ", t.columns, " ", engine::to_string(t.type), " takes ",
        bytes_of(t), " bytes of each partition in one piece; ", sbuf ? "SBUF" : "PSUM", " has ",
        sbuf ? core_.sbuf_free_bytes() : core_.psum_free_bytes(), " of ",
        sbuf ? machine.sbuf.bytes_per_partition : machine.psum.bytes_per_partition,
        " free, and nothing is spilled; live", live.empty() ? " is no other" : " are");
    std::size_t listed = 0;
    for (const auto& [of, count] : live) {
      if (listed++ == 5) {
        text += message(" and ", live.size() - 5, " kinds more");
        break;
      }
      const auto& [bytes, partitions, columns, type, line] = of;
      text += message(listed > 1 ? ", " : " ", count, " x ", bytes, " bytes (", partitions, " x ",
                      columns, " ", engine::to_string(type), ") of line ", -line);
    }
    throw resource_error(text);
  }

  void retire(std::size_t number) {
    if (last_use_[number] == nobody) return;
    last_use_[number] = nobody;
    retired(program_.tiles_[number].space).push_back(number);
  }

  // A load of what a tile still holds from a load before.
  void note_load(std::span<const reference> references) {
    const reference &to = references[0], &from = references[1];
    if (!to.is_tile() || from.is_tile() || is_stored_[std::size_t(~from.memory)] ||
        writes_[std::size_t(to.memory)] != 1)
      return;
    std::string key;
    const auto append = [&](const auto& value) {
      key.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    for (const reference* const x : {&from, &to}) {
      append(x->partitions);
      append(x->offset);
      for (const engine::pattern_dim& d : x->dims()) append(d);
      append(x->rank);
    }
    append(from.memory);
    append(program_.tiles_[std::size_t(to.memory)].type);
    const auto [held, is_new] = held_.try_emplace(std::move(key), std::size_t(to.memory));
    if (!is_new && is_resident_[held->second]) {
      ++repeated_loads_;
      const engine::dtype type = program_.tensors_[std::size_t(~from.memory)].shape.type;
      repeated_load_bytes_ +=
          std::uint64_t(from.elements()) * std::uint64_t(engine::size_bytes(type));
    }
    held->second = std::size_t(to.memory);
  }

  recorded_program& program_;
  engine::core& core_;
  std::vector<engine::hbm_view> tensors_;
  std::vector<std::size_t> last_use_;
  std::vector<int> writes_;
  std::vector<engine::tile> places_;
  std::vector<bool> is_resident_, is_stored_;
  std::array<std::deque<std::size_t>, 2> retired_;  // by space
  std::unordered_map<std::string, std::size_t> held_;
  std::uint64_t repeated_loads_ = 0, repeated_load_bytes_ = 0;
};

replayed recorded_program::run(const engine::machine_spec& machine,
                               const engine::runtime_spec& runtime, run_mode mode, bool trace,
                               int threads) {
  engine::device device(machine, runtime, {.trace = trace, .threads = threads});
  const bool dry = mode == run_mode::dry_run;
  std::vector<engine::launch_input> in;
  std::vector<engine::launch_output> out;
  std::vector<std::pair<engine::device_buffer, const recorded_tensor*>> updated;
  const auto input = [&](const recorded_tensor& t) {
    return dry ? engine::launch_input(t.shape) : engine::launch_input(t.data, t.shape);
  };
  const auto output = [&](const recorded_tensor& t) {
    return dry ? engine::launch_output(t.shape) : engine::launch_output(t.data, t.shape);
  };
  for (const recorded_tensor& t : tensors_) {
    if (t.role == tensor_role::input) in.push_back(input(t));
    if (t.role == tensor_role::output) out.push_back(output(t));
    if (t.role != tensor_role::updated) continue;
    updated.emplace_back(device.upload(input(t)), &t);
    in.emplace_back(updated.back().first);
    out.emplace_back(updated.back().first);
  }
  replayed result;
  const auto body = [&](engine::core& core, const engine::kernel_arguments& arguments) {
    replay all(*this, core, arguments);
    all.issue_all();
    result.repeated_loads = all.repeated_loads();
    result.repeated_load_bytes = all.repeated_load_bytes();
  };
  result.run = device.launch({.name = kernel_, .body = body}, in, out, mode);
  for (const auto& [buffer, tensor] : updated) device.download(buffer, output(*tensor));
  result.run.upload = device.record().upload;
  result.run.fetch = device.record().fetch;
  return result;
}

}  // namespace papilio::python
