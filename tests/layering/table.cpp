#include "layering/layering.hpp"

namespace papilio::test {

const layering_table& design_table() {
  static const layering_table table{
      .modules =
          {
              {"base", {}},
              {"io", {"base"}},
              {"audio", {"base"}},
              {"render", {"base", "io"}},
              {"fft", {"base"}},
              {"blas", {"base"}},
              {"engine", {"base"}},
              {"kernels", {"engine", "base"}},
              {"dispatch", {"base"}},
              {"transform", {"fft", "dispatch", "base"}},
              {"signal", {"fft", "dispatch", "base"}},
              {"contract", {"blas", "dispatch", "base"}},
              {"decompose", {"contract", "blas", "dispatch", "base"}},
              {"chem", {"contract", "blas", "dispatch", "base"}},
              {"backends",
               {"base", "io", "audio", "render", "fft", "blas", "engine", "kernels", "dispatch",
                "transform", "signal", "contract", "decompose", "chem"}},
          },
      .exceptions = {"engine papilio/dispatch/accelerator.hpp", "tests engine/observer.hpp",
                     "tests cli/common.hpp", "tests cli/istft_task.hpp",
                     "tests cli/molecule_files.hpp", "tests cli/network_file.hpp",
                     "tests cli/plan_operation.hpp"},
      .forbidden = {"kernels cmath", "kernels math.h"},
      .third_party =
          {
              {"CLI/", {"cli"}},
              {"cairo", {"render"}},
              {"cblas.h", {"blas", "bench"}},
              {"fftw3.h", {"backends", "tests", "bench"}},
              {"fmt/",
               {"base", "io", "audio", "render", "fft", "blas", "engine", "kernels", "dispatch",
                "transform", "signal", "contract", "decompose", "chem", "backends", "cli"}},
              {"gnu/", {"bench"}},
              {"gtest/", {"tests"}},
              {"hwy/", {"fft", "engine", "chem", "backends", "tests"}},
              {"immintrin.h", {}},
              {"lapacke.h", {"blas"}},
              {"linux/", {"tests"}},
              {"nlohmann/", {"io", "engine", "cli", "tests", "bench"}},
              {"omp.h", {"base"}},
              {"openblas", {"blas"}},
              {"pango/", {"render"}},
              {"png.h", {"render", "tests"}},
              {"rapidcheck", {"tests"}},
              {"sndfile.h", {"audio", "tests", "bench"}},
              {"mpg123.h", {"audio"}},
              {"soxr.h", {"audio"}},
              {"zlib.h", {"render"}},
          },
  };
  return table;
}

}  // namespace papilio::test
