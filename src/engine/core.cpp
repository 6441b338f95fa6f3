#include "papilio/engine/core.hpp"

#include <algorithm>

#include "engine/core_state.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::engine {

tile::tile(tile&& other) noexcept : memory_(other.memory_), view_(other.view_) {
  other.memory_ = nullptr;
}
tile& tile::operator=(tile&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(view_, other.view_);
  return *this;
}
tile::~tile() {
  if (memory_ != nullptr) memory_->release(view_);
}

tile_view tile_pool::next() {
  tile& oldest = tiles_[at_];
  if (++at_ == tiles_.size()) at_ = 0;
  oldest.view_ = oldest.memory_->renew(oldest.view_);
  return oldest.view_;
}

core::core(const machine_spec& machine, const core_options& options)
    : state_(std::make_unique<engine_detail::core_state>(machine, options)) {}
core::~core() = default;

const machine_spec& core::machine() const { return state_->machine; }
run_mode core::mode() const { return state_->options.mode; }

tile core::sbuf(int partitions, std::int64_t columns, dtype type, std::string_view name) {
  tile t(state_->sbuf, state_->sbuf.allocate(partitions, columns, type, name));
  std::int64_t& peak = state_->record.sbuf_peak_bytes;
  peak = std::max(peak, state_->machine.sbuf.bytes_per_partition - sbuf_free_bytes());
  return t;
}

tile core::psum(int partitions, std::int64_t columns, dtype type, std::string_view name) {
  tile t(state_->psum, state_->psum.allocate(partitions, columns, type, name));
  std::int64_t& peak = state_->record.psum_peak_bytes;
  peak = std::max(peak, state_->machine.psum.bytes_per_partition - psum_free_bytes());
  return t;
}

tile_pool core::sbuf_pool(int depth, int partitions, std::int64_t columns, dtype type,
                          std::string_view name) {
  if (depth < 1)
    throw invalid_argument(
        base_detail::message("sbuf_pool: depth must be at least 1, got ", depth));
  std::vector<tile> tiles;
  for (int i = 0; i < depth; ++i) tiles.push_back(sbuf(partitions, columns, type, name));
  state_->sbuf.make_pool({tiles.begin(), tiles.end()});
  return tile_pool(std::move(tiles));
}

tile_pool core::psum_pool(int depth, int partitions, std::int64_t columns, dtype type,
                          std::string_view name) {
  if (depth < 1)
    throw invalid_argument(
        base_detail::message("psum_pool: depth must be at least 1, got ", depth));
  std::vector<tile> tiles;
  for (int i = 0; i < depth; ++i) tiles.push_back(psum(partitions, columns, type, name));
  state_->psum.make_pool({tiles.begin(), tiles.end()});
  return tile_pool(std::move(tiles));
}

std::int64_t core::sbuf_free_bytes() const { return state_->sbuf.free_bytes(); }
std::int64_t core::psum_free_bytes() const { return state_->psum.free_bytes(); }
std::int64_t core::sbuf_gap_bytes() const { return state_->sbuf.gap_bytes(); }
std::int64_t core::psum_gap_bytes() const { return state_->psum.gap_bytes(); }

hbm_view core::hbm(std::span<const std::int64_t> extents, dtype type) {
  return state_->scratch_tensor(extents, type);
}

namespace {

engine_detail::hbm_storage& storage_for(const char* function, const hbm_view& tensor,
                                        std::size_t bytes) {
  if (tensor.empty()) throw invalid_argument(base_detail::message(function, ": no tensor"));
  engine_detail::hbm_storage& storage = *tensor.storage();
  const std::size_t size = std::size_t(storage.elements) * size_bytes(storage.type);
  if (size != bytes || tensor.elements() != storage.elements)
    throw shape_error(
        base_detail::message(function, ": ", storage.name, " has ", size, " bytes, got ", bytes));
  if (storage.data == nullptr)
    throw device_error(base_detail::message(function, ": a dry run holds no data"));
  return storage;
}

}  // namespace

void core::write_tensor(const hbm_view& tensor, std::span<const std::byte> bytes) {
  engine_detail::hbm_storage& storage = storage_for("core::write_tensor", tensor, bytes.size());
  if (storage.constant)
    throw invalid_argument(
        base_detail::message("core::write_tensor: ", storage.name, " is an input of the kernel"));
  std::ranges::copy(bytes, storage.data);
  storage.written.reset(storage.elements, true);
}

void core::read_tensor(const hbm_view& tensor, std::span<std::byte> bytes) const {
  const engine_detail::hbm_storage& storage =
      storage_for("core::read_tensor", tensor, bytes.size());
  if (!storage.written.full())
    throw device_error(base_detail::message("core::read_tensor: ", storage.name, ": of ",
                                            storage.elements, " elements ",
                                            storage.written.missing(), " were never written"));
  std::copy_n(storage.data, bytes.size(), bytes.begin());
}

void core::issue(const instruction& i) {
  std::visit([this](const auto& one) { issue(one); }, i);
}
void core::issue_kind(std::size_t kind, const void* one) { state_->issue(kind, one); }
void core::state_floor(double hbm_bytes, double tensor_cycles) {
  if (!(hbm_bytes >= 0) || !(tensor_cycles >= 0))
    throw invalid_argument(base_detail::message("core::state_floor: ", hbm_bytes, " bytes and ",
                                                tensor_cycles, " cycles must both be at least 0"));
  auto& least = state_->least;
  if (!least) least.emplace();
  least->hbm_bytes += hbm_bytes;
  least->tensor_cycles += tensor_cycles;
}
void core::round_by(const rounding& how) { state_->run.round_by(how); }
void core::order_by_hand() { state_->order_by_hand(); }
semaphore core::make_semaphore() { return {state_->order.make_semaphore()}; }
engine_register core::make_register(unit on) {
  if (!engine_detail::register_file::exist_on(on))
    throw invalid_argument(
        base_detail::message("core::make_register: on must be an engine, got ", to_string(on)));
  const int index = state_->run.registers.make(on);
  if (index < 0)
    throw kernel_error(state_->kernel, "", 0, "register",
                       base_detail::message("all ", machine().sequencer.registers, " of ",
                                            to_string(on), " are taken"));
  return {index, on};
}
void core::connect(exchange_function exchange) { state_->run.exchange = std::move(exchange); }
void core::step(const std::string& name, bool of_all) {
  engine_detail::run_record& record = state_->record;
  record.steps_are_of_all |= of_all;
  if (of_all || !record.steps_are_of_all) record.steps.push_back({name, {0, 0}, 0});
}

profile core::summary() const { return state_->summary(); }

trace core::timeline_trace() const {
  if (!state_->options.trace)
    throw invalid_argument("core::timeline_trace: core_options::trace must be true, is false");
  trace result = state_->record.events;
  result.describe(state_->kernel, state_->machine.name);
  return result;
}

}  // namespace papilio::engine
