// What an audio callback may do: a stream's pushes allocate nothing, take no lock and call no
// system.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

#include "papilio/fft.hpp"
#include "papilio/signal.hpp"
#include "signal/allocation_count.hpp"
#include "support/oracle.hpp"

namespace {

std::atomic<std::size_t> locks{0};

// The function of that name that this program's own stands before.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#if PAPILIO_COUNTS_ALLOCATIONS
// A lock that nobody else holds makes no system call: calls are counted. std::mutex, std::call_once
// and function statics come here.
extern "C" {
int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static std::atomic<int (*)(pthread_mutex_t*)> original{nullptr};
  if (original == nullptr) original = next<int(pthread_mutex_t*)>("pthread_mutex_lock");
  ++locks;
  return original.load()(mutex);
}
int pthread_once(pthread_once_t* once, void (*work)()) {
  static std::atomic<int (*)(pthread_once_t*, void (*)())> original{nullptr};
  if (original == nullptr) original = next<int(pthread_once_t*, void (*)())>("pthread_once");
  ++locks;
  return original.load()(once, work);
}
}
#endif

namespace papilio {
namespace {

// From here on every system call but exit ends the process by SIGSYS.
bool forbid_system_calls() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const sock_fprog filter{std::size(program), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

enum outcome : int { quiet, allocated, locked, no_segments, unavailable };

// What `work`, which returns a number of segments, does in a child process without system calls;
// minus the signal that ended it.
template <class Work>
int in_silence(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    if (!forbid_system_calls()) _exit(unavailable);
    const std::size_t allocations_before = test::allocation_count(), locks_before = locks;
    const std::size_t segments = work();
    const outcome result = test::allocation_count() != allocations_before ? allocated
                           : locks != locks_before                        ? locked
                           : segments == 0                                ? no_segments
                                                                          : quiet;
    for (;;) syscall(SYS_exit, result);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class stream_real_time : public testing::Test {
 protected:
  void SetUp() override {
    if (!PAPILIO_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc is the sanitizer's";
    if (in_silence([] { return 1u; }) == unavailable) GTEST_SKIP() << "no seccomp here";
  }
};

TEST_F(stream_real_time, each_check_can_fail) {
  EXPECT_EQ(in_silence([] { return 1u; }), quiet);
  EXPECT_EQ(in_silence([] { return 0u; }), no_segments);
  EXPECT_EQ(in_silence([] { return array<float, 1>(100).size(); }), allocated);
  EXPECT_EQ(in_silence([] {
              forget_wisdom();  // takes the library's lock
              return 1u;
            }),
            locked);
  EXPECT_EQ(in_silence([] { return static_cast<unsigned>(getppid()); }), -SIGSYS);
}

// n_fft: a codelet, passes, an odd length, a prime (Rader and Bluestein), a four-step. The first
// push is one of them: nothing is made ready by an earlier one.
template <class T>
void expect_quiet_pushes(std::size_t n, std::size_t samples_a_push, edge_padding padding) {
  const std::size_t channels = 2, samples = 3 * n + 2 * samples_a_push;
  const auto x = test::random_real<T>(channels * samples, 1);
  const view<const T, 2> sound(x.data(), {samples, channels});
  const stft_options options{.n_fft = n, .hop = n / 2, .padding = padding};
  const auto run = [&](auto push, auto finish) {
    stft_stream<T> stream(options, channels);
    return in_silence([&] {
      for (std::size_t first = 0; first + samples_a_push <= samples; first += samples_a_push)
        push(stream, sound.slice(0, first, samples_a_push));
      const auto segments = static_cast<std::size_t>(stream.segments());
      finish(stream);
      stream.reset();
      return segments;
    });
  };
  const auto complexes = [](std::uint64_t, view<std::complex<T>, 2>) {};
  const auto reals = [](std::uint64_t, view<T, 2>) {};
  EXPECT_EQ(run([&](auto& s, auto block) { s.push(block, complexes); },
                [&](auto& s) { s.finish(complexes); }),
            quiet);
  EXPECT_EQ(run([&](auto& s, auto block) { s.push_magnitude(block, reals); },
                [&](auto& s) { s.finish_magnitude(reals); }),
            quiet);
  EXPECT_EQ(run([&](auto& s, auto block) { s.push_power(block, reals); },
                [&](auto& s) { s.finish_power(reals); }),
            quiet);
}

TEST_F(stream_real_time, pushes_are_quiet_at_every_length) {
  for (const std::size_t n : {32, 2048, 1025, 1009, 1019, 65536}) {
    SCOPED_TRACE(n);
    expect_quiet_pushes<float>(n, 480, edge_padding::reflect);
    expect_quiet_pushes<double>(n, 480, edge_padding::zero);
  }
}

TEST_F(stream_real_time, pushes_of_any_size_are_quiet) {
  for (const std::size_t samples : {1, 7, 4096, 1000000}) {
    SCOPED_TRACE(samples);
    expect_quiet_pushes<float>(1024, samples, edge_padding::edge);
  }
}

}  // namespace
}  // namespace papilio
