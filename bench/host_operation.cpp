#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "host_side.hpp"
#include "papilio/chem.hpp"
#include "papilio/contract.hpp"
#include "papilio/decompose.hpp"
#include "papilio/signal.hpp"
#include "papilio/transform.hpp"

namespace papilio::bench {
namespace {

std::size_t reals_of(const operand_shape& s) { return count_of(s) * (s.is_complex ? 2 : 1); }

template <class E, class T, std::size_t Rank>
view<E, Rank> shaped(array<T, 1>& x, const extents_type<Rank>& extents) {
  return view<E, Rank>(reinterpret_cast<E*>(x.data()), extents);
}

template <class T, std::size_t Rank>
std::function<void(int)> transform_run(host_operation<T>& x, const fft_problem& p) {
  extents_type<Rank> extents;
  std::copy_n(p.extents.begin(), Rank, extents.begin());
  const auto in = shaped<const std::complex<T>, T, Rank>(x.in[0], extents);
  const auto out = shaped<std::complex<T>, T, Rank>(x.out, extents);
  const auto on = [](int threads) { return execution{.where = policy::host, .threads = threads}; };
  if (p.axes.size() == 1) return [=](int threads) { fft(in, out, {.on = on(threads)}); };
  return [=](int threads) { fftn(in, out, {.on = on(threads)}); };
}

template <class T>
std::function<void(int)> run_of(host_operation<T>& x, const fft_problem& p, const page_row&) {
  switch (p.extents.size()) {
    case 1:
      return transform_run<T, 1>(x, p);
    case 2:
      return transform_run<T, 2>(x, p);
    default:
      return transform_run<T, 3>(x, p);
  }
}

template <class T>
std::function<void(int)> run_of(host_operation<T>& x, const stft_problem& p, const page_row&) {
  const stft_plan<T> plan(torch_stft(p.n_fft, p.hop, window_kind::hann));
  const auto in = shaped<const T, T, 2>(x.in[0], {p.channels, p.samples});
  const auto out =
      shaped<std::complex<T>, T, 3>(x.out, {p.channels, shapes_of(p).out[0].extents[1], p.bins()});
  return [=](int threads) { plan.execute(in, out, threads); };
}

template <class T>
std::function<void(int)> run_of(host_operation<T>& x, const product_problem& p, const page_row&) {
  const extents_type<1> extents{p.count};
  const auto spectra = shaped<const std::complex<T>, T, 1>(x.in[0], extents);
  const auto mask = shaped<const std::complex<T>, T, 1>(x.in[1], extents);
  const auto out = shaped<std::complex<T>, T, 1>(x.out, extents);
  return [=](int threads) { apply_mask<T, 1>(spectra, mask, out, threads); };
}

template <class E, class T>
std::function<void(int)> product_run(host_operation<T>& x, const gemm_problem& p,
                                     const page_row& row) {
  extents_type<3> a{p.batch, p.m, p.k}, b{p.batch, p.k, p.n};
  if (row.transpose_a) std::swap(a[1], a[2]);
  if (row.transpose_b) std::swap(b[1], b[2]);
  const auto left = shaped<const E, T, 3>(x.in[0], a), right = shaped<const E, T, 3>(x.in[1], b);
  const auto out = shaped<E, T, 3>(x.out, {p.batch, p.m, p.n});
  const auto op = [](bool is_transposed) {
    return is_transposed ? matrix_op::transpose : matrix_op::none;
  };
  return [=, op_a = op(row.transpose_a), op_b = op(row.transpose_b)](int threads) {
    gemm(left, right, out,
         {.a = op_a, .b = op_b, .on = {.where = policy::host, .threads = threads}});
  };
}

template <class T>
std::function<void(int)> run_of(host_operation<T>& x, const gemm_problem& p, const page_row& row) {
  return p.is_complex ? product_run<std::complex<T>>(x, p, row) : product_run<T>(x, p, row);
}

template <class T>
std::vector<double> doubles(const array<T, 1>& x) {
  return {x.begin(), x.end()};
}

template <class T>
std::function<void(int)> run_of(host_operation<T>& x, const pair_energy_problem& p,
                                const page_row&) {
  const auto b = shaped<const T, T, 3>(x.in[0], {p.nocc, p.nvir, p.naux});
  const auto out = shaped<T, T, 1>(x.out, {2});
  return [=, occupied = doubles(x.in[1]), virtuals = doubles(x.in[2])](int threads) {
    const mp2_energies e =
        df_mp2(b, occupied, virtuals, {.on = {.where = policy::host, .threads = threads}});
    out(0) = static_cast<T>(e.opposite_spin);
    out(1) = static_cast<T>(e.same_spin());
  };
}

template <class T, class Problem>
std::function<void(int)> run_of(host_operation<T>&, const Problem&, const page_row& row) {
  throw std::runtime_error(row.op + ' ' + row.shape + " cannot be run on the host");
}

template <class T>
void space_evenly(array<T, 1>& x, float from, float to) {
  const float step = (to - from) / static_cast<float>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x(i) = from + step * static_cast<float>(i);
}

// The same ones each time.
class normal_numbers {
 public:
  float operator()() { return normal_(generator_); }

 private:
  std::mt19937 generator_{1};
  std::normal_distribution<float> normal_;
};

const operation& operation_of(const page_row& row) {
  if (!row.what) throw std::runtime_error(row.op + ' ' + row.shape + " is no single operation");
  return *row.what;
}

}  // namespace

std::size_t count_of(const operand_shape& s) {
  return std::accumulate(s.extents.begin(), s.extents.end(), std::size_t{1}, std::multiplies<>());
}

template <class T>
host_operation<T>::host_operation(const page_row& row) {
  const operand_shapes shapes = shapes_of(operation_of(row));
  for (const operand_shape& shape : shapes.in) in.emplace_back(extents_type<1>{reals_of(shape)});
  out = array<T, 1>({reals_of(shapes.out[0])});
  fill();
  if (std::holds_alternative<pair_energy_problem>(*row.what)) {
    space_evenly(in[1], -1.5F, -0.5F);
    space_evenly(in[2], 0.5F, 2.5F);
  }
  run_ = std::visit([&](const auto& p) { return run_of<T>(*this, p, row); }, *row.what);
}

template <class T>
void host_operation<T>::fill() {
  normal_numbers numbers;
  for (array<T, 1>& operand : in)
    for (T& x : operand) x = numbers();
}

template class host_operation<float>;
template class host_operation<double>;

std::function<void(const execution&)> decomposition_call(const decomposition& of) {
  array<float, 3> x({of.extent, of.extent, of.extent});
  normal_numbers numbers;
  for (float& element : x) element = numbers();
  return [of, x = std::move(x)](const execution& on) {
    if (of.sweeps > 0)
      cp_als(x, of.rank, {.max_iterations = of.sweeps, .tolerance = 0, .on = on});
    else
      tucker_sthosvd(x, {.ranks = std::vector<std::size_t>(3, of.rank), .on = on});
  };
}

}  // namespace papilio::bench
