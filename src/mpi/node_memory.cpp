#include "mpi/node_memory.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "papilio/base/error.hpp"

namespace papilio::mpi {
namespace {

constexpr const char* directory = "/dev/shm";
// Pages to which MPI rounds each part, and room for whatever else is put there meanwhile.
constexpr std::int64_t page_bytes = 4096, margin_bytes = std::int64_t{16} << 20;

std::int64_t free_bytes() {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  struct statvfs found {};
  if (::statvfs(directory, &found) != 0) return 0;
  const auto blocks = static_cast<std::uint64_t>(found.f_bavail);
  const auto block = std::max<std::uint64_t>(1, found.f_frsize);
  const std::uint64_t bytes = blocks > most / block ? most : blocks * block;
  return static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, most_window_bytes()));
}

}  // namespace

std::size_t& most_window_bytes() {
  static std::size_t bytes = std::numeric_limits<std::size_t>::max();
  return bytes;
}

window_answer ask_for_windows(const communicator& all, std::size_t bytes) {
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(all.get(), MPI_COMM_TYPE_SHARED, all.rank(), MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  int in_node = 0;
  MPI_Comm_rank(node, &in_node);
  MPI_Comm_free(&node);
  const std::array<std::int64_t, 2> mine{
      in_node == 0, (static_cast<std::int64_t>(bytes) / page_bytes + 2) * page_bytes};
  std::array<std::int64_t, 2> sums{};
  check(MPI_Allreduce(mine.data(), sums.data(), 2, MPI_INT64_T, MPI_SUM, all.get()),
        "MPI_Allreduce");
  const std::int64_t own_free = free_bytes();
  std::int64_t free = 0;
  check(MPI_Allreduce(&own_free, &free, 1, MPI_INT64_T, MPI_MIN, all.get()), "MPI_Allreduce");
  const std::int64_t needed = sums[1] + margin_bytes;
  if (sums[0] != 1)
    return {false, true, base_detail::message("the ranks are on ", sums[0], " nodes")};
  if (free >= needed) return {};
  return {true, false,
          base_detail::message(directory, " has ", free, " bytes free, and windows need ", needed)};
}

node_memory::node_memory(const communicator& all, std::size_t bytes, bool shared) {
  if (!shared) {
    all.agree([&] {
      ordinary_ = array<std::byte, 1>({bytes}, uninitialized);
      parts_.push_back(ordinary_.data());
    });
    return;
  }
  MPI_Info info = MPI_INFO_NULL;
  check(MPI_Info_create(&info), "MPI_Info_create");
  // Parts on pages of their own, near the rank that writes them first.
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  void* base = nullptr;
  const int code = MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes + array_alignment_bytes), 1,
                                           info, all.get(), &base, &window_);
  MPI_Info_free(&info);
  check(code, "MPI_Win_allocate_shared");
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
  own_ = static_cast<std::size_t>(all.rank());
  for (int rank = 0; rank < all.size(); ++rank) {
    MPI_Aint size = 0;
    int unit = 0;
    check(MPI_Win_shared_query(window_, rank, &size, &unit, &base), "MPI_Win_shared_query");
    // Mapped in whole pages, so that every process rounds up by as much.
    std::size_t room = bytes + 2 * array_alignment_bytes;
    parts_.push_back(std::align(array_alignment_bytes, 1, base, room));
  }
  // Pages are taken now, near this rank, and not by whoever writes them first.
  std::memset(parts_[own_], 0, bytes);
}

node_memory::node_memory(node_memory&& other) noexcept { *this = std::move(other); }

node_memory& node_memory::operator=(node_memory&& other) noexcept {
  std::swap(window_, other.window_);
  std::swap(ordinary_, other.ordinary_);
  std::swap(parts_, other.parts_);
  std::swap(own_, other.own_);
  return *this;
}

node_memory::~node_memory() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (window_ == MPI_WIN_NULL || finalized != 0) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

void node_memory::synchronize(const communicator& all) const {
  check(MPI_Win_sync(window_), "MPI_Win_sync");
  check(MPI_Barrier(all.get()), "MPI_Barrier");
  check(MPI_Win_sync(window_), "MPI_Win_sync");
}

shared_memory::shared_memory(MPI_Comm original, std::size_t bytes) {
  communicator all(original, "mpi::make_array");
  const bool shared = ask_for_windows(all, bytes).yes();
  node_memory memory(all, bytes, shared);
  static std::atomic<std::int64_t> made = 0;
  std::int64_t number = ++made;
  check(MPI_Bcast(&number, 1, MPI_INT64_T, 0, all.get()), "MPI_Bcast");
  state_ = std::make_unique<state>(state{std::move(all), std::move(memory), number});
}

shared_memory::shared_memory(shared_memory&&) noexcept = default;
shared_memory& shared_memory::operator=(shared_memory&&) noexcept = default;
shared_memory::~shared_memory() = default;

void* shared_memory::data() const { return state_->memory.as<void>(); }
bool shared_memory::is_shared() const { return state_->memory.is_shared(); }

const node_memory* agreed_memory(const communicator& all, const shared_memory* out) {
  std::int64_t number = 0;
  if (out != nullptr && out->is_shared()) {
    int same = MPI_UNEQUAL;
    check(MPI_Comm_compare(out->inside().all.get(), all.get(), &same), "MPI_Comm_compare");
    if (same == MPI_CONGRUENT) number = out->inside().number;
  }
  const std::array<std::int64_t, 2> mine{number, -number};
  std::array<std::int64_t, 2> least{};
  check(MPI_Allreduce(mine.data(), least.data(), 2, MPI_INT64_T, MPI_MIN, all.get()),
        "MPI_Allreduce");
  const bool is_agreed = least[0] == -least[1] && least[0] > 0;
  return is_agreed ? &out->inside().memory : nullptr;
}

}  // namespace papilio::mpi
