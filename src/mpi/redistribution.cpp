#include "papilio/mpi/redistribution.hpp"

#include <cstdint>

#include "mpi/exchange.hpp"
#include "mpi/planning.hpp"
#include "papilio/base/overlap.hpp"

namespace papilio::mpi {

template <class T>
struct redistribution<T>::state {
  communicator all;
  exchange<T> moves;
  node_memory send, receive;
};

template <class T>
redistribution<T>::redistribution(MPI_Comm original, const distribution& from,
                                  const distribution& to) {
  constexpr const char* name = "redistribution";
  communicator all(original, name);
  std::vector<std::int64_t> told = numbers_of(from);
  for (const std::int64_t number : numbers_of(to)) told.push_back(number);
  all.require_equal(name, told);
  all.agree([&] {
    require_ranks(name, from, all);
    require_ranks(name, to, all);
    if (from.extents() != to.extents())
      throw invalid_argument("redistribution: from and to must be of the same extents");
  });
  exchange<T> moves(all, from, to);
  node_memory send(all, moves.source().size() * sizeof(T), false),
      receive(all, moves.target().size() * sizeof(T), false);
  state_ = std::make_unique<state>(
      state{std::move(all), std::move(moves), std::move(send), std::move(receive)});
}

template <class T>
redistribution<T>::redistribution(redistribution&&) noexcept = default;
template <class T>
redistribution<T>& redistribution<T>::operator=(redistribution&&) noexcept = default;
template <class T>
redistribution<T>::~redistribution() = default;

template <class T>
const box& redistribution<T>::input() const {
  return state_->moves.source();
}
template <class T>
const box& redistribution<T>::output() const {
  return state_->moves.target();
}

template <class T>
void redistribution<T>::execute(tensor_view<const T> in, tensor_view<T> out) {
  constexpr const char* name = "redistribution::execute";
  state_->all.agree([&] { require_operands(name, in, input(), out, output()); });
  const strided<const T> from{in.data(), in.extents(), in.strides()};
  if (!in.empty()) state_->moves.pack(from, 0, 0, state_->send);
  state_->moves.run(state_->send.template as<T>(), state_->receive.template as<T>());
  if (!out.empty())
    state_->moves.unpack(state_->receive.template as<T>(),
                         {out.data(), out.extents(), out.strides()});
}

template class redistribution<float>;
template class redistribution<double>;
template class redistribution<std::complex<float>>;
template class redistribution<std::complex<double>>;

}  // namespace papilio::mpi
