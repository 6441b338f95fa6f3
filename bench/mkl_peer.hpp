#pragma once

#include "cases.hpp"

namespace papilio::bench {

/// MKL's transform of a case on these operands, on one thread.
template <class T>
class mkl_peer {
 public:
  mkl_peer(const bench_case& c, T* in, T* out);
  mkl_peer(const mkl_peer&) = delete;
  mkl_peer& operator=(const mkl_peer&) = delete;
  ~mkl_peer();
  void operator()() const;

 private:
  void* descriptor_ = nullptr;
  T *in_, *out_;
  bool is_inverse_;
};

extern template class mkl_peer<float>;
extern template class mkl_peer<double>;

}  // namespace papilio::bench
