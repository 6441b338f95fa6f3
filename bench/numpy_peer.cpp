#include "numpy_peer.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>

namespace papilio::bench {
namespace {

// As one writes them: unfoldings, Khatri-Rao products by broadcasting, eigh of Gram matrices for
// Tucker, the full SVD for tensor trains; all in float32.
constexpr const char* script = R"(
import sys, time
import numpy as np

def unfolded(x, n):
    return np.moveaxis(x, n, 0).reshape(x.shape[n], -1)

def khatri_rao(a, b):
    return (a[:, None, :] * b[None, :, :]).reshape(-1, a.shape[1])

def cp(x, rank, sweeps=20):
    f = [np.random.default_rng(n).standard_normal((e, rank)).astype(x.dtype)
         for n, e in enumerate(x.shape)]
    norm = np.linalg.norm(x)
    for sweep in range(sweeps):
        for n in range(3):
            a, b = [f[m] for m in range(3) if m != n]
            v = (a.T @ a) * (b.T @ b)
            m = unfolded(x, n) @ khatri_rao(a, b)
            g = np.linalg.solve(v, m.T).T
            w = np.linalg.norm(g, axis=0)
            f[n] = g / w
        model = w @ (v * (f[2].T @ f[2])) @ w
        error = np.sqrt(max(norm**2 - 2 * np.sum(m * f[2] * w) + model, 0)) / norm
    return f, w, error

def tucker(x, rank):
    core, factors = x, []
    for n in range(3):
        u = unfolded(core, n)
        values, vectors = np.linalg.eigh(u @ u.T)
        factors.append(vectors[:, ::-1][:, :rank])
        core = np.moveaxis(np.tensordot(factors[-1].T, core, (1, n)), 0, n)
    return core, factors

def tt(x, rank):
    cores, bond, rest = [], 1, x
    for n in range(2):
        u, s, v = np.linalg.svd(rest.reshape(bond * x.shape[n], -1), full_matrices=False)
        r = min(rank, len(s))
        cores.append(u[:, :r].reshape(bond, x.shape[n], r))
        rest, bond = s[:r, None] * v[:r], r
    return cores + [rest.reshape(bond, -1, 1)]

print("ready", flush=True)
inputs = {}
for line in sys.stdin:
    name, extent, rank, calls = line.split()
    extent, rank = int(extent), int(rank)
    if extent not in inputs:
        inputs[extent] = np.random.default_rng(0).standard_normal((extent,) * 3).astype(np.float32)
    run, x = globals()[name], inputs[extent]
    start = time.process_time()
    for call in range(int(calls)):
        run(x, rank)
    print((time.process_time() - start) / int(calls), flush=True)
)";

}  // namespace

numpy_peer::numpy_peer() {
  std::signal(SIGPIPE, SIG_IGN);
  int in[2], out[2];
  if (pipe(in) != 0 || pipe(out) != 0) return;
  const char* const named = std::getenv("PAPILIO_BENCH_PYTHON");
  const char* const python = named != nullptr ? named : "python3";
  child_ = fork();
  if (child_ == 0) {
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    dup2(in[0], 0);
    dup2(out[1], 1);
    for (const int fd : {in[0], in[1], out[0], out[1]}) close(fd);
    execlp(python, python, "-c", script, static_cast<char*>(nullptr));
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = fdopen(in[1], "w");
  from_ = fdopen(out[0], "r");
  std::array<char, 64> line;
  if (std::fgets(line.data(), line.size(), from_) != nullptr) return;
  std::fprintf(stderr, "%s has no numpy: only our times are shown\n", python);
  stop();
}

numpy_peer::~numpy_peer() { stop(); }

void numpy_peer::stop() {
  if (to_ != nullptr) std::fclose(to_);
  if (from_ != nullptr) std::fclose(from_);
  to_ = from_ = nullptr;
  if (child_ > 0) waitpid(child_, nullptr, 0);
  child_ = -1;
}

double numpy_peer::seconds(const std::string& task, int calls) {
  if (to_ == nullptr) return NAN;
  std::fprintf(to_, "%s %d\n", task.c_str(), calls);
  std::fflush(to_);
  std::array<char, 64> line;
  if (std::fgets(line.data(), line.size(), from_) == nullptr) return stop(), NAN;
  return std::atof(line.data());
}

}  // namespace papilio::bench
