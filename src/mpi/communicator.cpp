#include "mpi/communicator.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "papilio/base/error.hpp"

namespace papilio::mpi {
namespace {

// Kind of a refusal, so that other ranks throw the same.
enum class refusal : int { none, shape, argument, resource, other };

[[noreturn]] void throw_refusal(refusal kind, const std::string& text) {
  switch (kind) {
    case refusal::shape:
      throw shape_error(text);
    case refusal::argument:
      throw invalid_argument(text);
    case refusal::resource:
      throw resource_error(text);
    default:
      throw error(text);
  }
}

}  // namespace

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw error(base_detail::message(
      call, ": ", std::string_view(text.data(), static_cast<std::size_t>(length))));
}

communicator::communicator(MPI_Comm original, const char* function) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized == 0 || finalized != 0)
    throw invalid_argument(base_detail::message(
        function, ": MPI is not ", initialized == 0 ? "initialised" : "running any more"));
  if (original == MPI_COMM_NULL)
    throw invalid_argument(base_detail::message(function, ": the communicator is MPI_COMM_NULL"));
  MPI_Comm copy = MPI_COMM_NULL;
  check(MPI_Comm_dup(original, &copy), "MPI_Comm_dup");
  adopt(copy);
}

void communicator::adopt(MPI_Comm comm) {
  comm_ = comm;
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

communicator::communicator(communicator&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)), rank_(other.rank_), size_(other.size_) {}

communicator& communicator::operator=(communicator&& other) noexcept {
  std::swap(comm_, other.comm_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  return *this;
}

communicator::~communicator() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (comm_ != MPI_COMM_NULL && finalized == 0) MPI_Comm_free(&comm_);
}

communicator communicator::split(int colour) const {
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split(comm_, colour, rank_, &part), "MPI_Comm_split");
  communicator result;
  result.adopt(part);
  return result;
}

void communicator::agree(const std::function<void()>& work) const {
  auto kind = refusal::none;
  std::string text;
  try {
    work();
  } catch (const shape_error& e) {
    kind = refusal::shape, text = e.what();
  } catch (const invalid_argument& e) {
    kind = refusal::argument, text = e.what();
  } catch (const resource_error& e) {
    kind = refusal::resource, text = e.what();
  } catch (const std::bad_alloc&) {
    kind = refusal::resource, text = "mpi: out of memory";
  } catch (const std::exception& e) {
    kind = refusal::other, text = e.what();
  }
  const int mine = kind == refusal::none ? size_ : rank_;
  int first = size_;
  check(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm_), "MPI_Allreduce");
  if (first == size_) return;
  std::array<int, 2> told{static_cast<int>(kind), static_cast<int>(text.size())};
  check(MPI_Bcast(told.data(), 2, MPI_INT, first, comm_), "MPI_Bcast");
  text.resize(static_cast<std::size_t>(told[1]));
  check(MPI_Bcast(text.data(), told[1], MPI_CHAR, first, comm_), "MPI_Bcast");
  if (size_ > 1) text += base_detail::message(" (on rank ", first, " of ", size_, ")");
  throw_refusal(static_cast<refusal>(told[0]), text);
}

void communicator::require_equal(const char* function,
                                 std::span<const std::int64_t> numbers) const {
  // The first number is the length, so that lists of unlike lengths differ.
  constexpr std::size_t most = 64;
  std::array<std::int64_t, most> firsts{};
  firsts[0] = static_cast<std::int64_t>(numbers.size());
  std::copy_n(numbers.begin(), std::min(numbers.size(), most - 1), firsts.begin() + 1);
  const std::array<std::int64_t, most> mine = firsts;
  check(MPI_Bcast(firsts.data(), most, MPI_INT64_T, 0, comm_), "MPI_Bcast");
  agree([&] {
    if (mine != firsts)
      throw invalid_argument(
          base_detail::message(function, ": the arguments differ from those of rank 0"));
  });
}

}  // namespace papilio::mpi
