#include "layering/layering.hpp"

namespace papilio::test {

const layering_table& design_table() {
  static const layering_table table{
      .components =
          {
              {"core", {{"base", "dispatch"}, {}}},
              {"fft", {{"fft", "transform"}, {"core"}}},
              {"signal", {{"signal"}, {"fft"}}},
              {"sound", {{"io", "audio", "render"}, {"core"}}},
              {"tensor", {{"blas", "contract", "decompose", "chem"}, {"core"}}},
              {"device", {{"engine", "kernels"}, {"core"}}},
          },
      .modules =
          {
              {"base", {}},
              {"io", {"base"}},
              {"audio", {"base"}},
              {"render", {"base", "io"}},
              {"fft", {"base"}},
              {"blas", {"base"}},
              {"engine", {"base"}},
              {"kernels", {"engine", "dispatch", "base"}},
              {"dispatch", {"base"}},
              {"transform", {"fft", "dispatch", "base"}},
              {"signal", {"transform", "fft", "dispatch", "base"}},
              {"contract", {"blas", "dispatch", "base"}},
              {"decompose", {"contract", "blas", "dispatch", "base"}},
              {"chem", {"contract", "blas", "dispatch", "base"}},
          },
      .exceptions = {"engine papilio/dispatch/accelerator.hpp",
                     "engine papilio/dispatch/execution.hpp",
                     "tests engine/observer.hpp",
                     "bench calibration/host_calibration.hpp",
                     "calibration base/lines.hpp",
                     "cli calibration/gemm_thresholds.hpp",
                     "cli calibration/host_calibration.hpp",
                     "cli calibration/host_timing.hpp",
                     "cli calibration/mp2_steps.hpp",
                     "cli calibration/published_host_times.hpp",
                     "cli calibration/published_residuals.hpp",
                     "cli io/number_table.hpp",
                     "cli signal/density_estimator.hpp",
                     "cli signal/feature_extractor.hpp",
                     "cli signal/noise_reduction.hpp",
                     "cli signal/panel_spectrograms.hpp",
                     "cli signal/plan_store.hpp",
                     "cli signal/tonal_spectrum.hpp",
                     "tests cli/common.hpp",
                     "tests calibration/host_calibration.hpp",
                     "tests cli/istft.hpp",
                     "tests cli/molecule_files.hpp",
                     "tests cli/network_file.hpp",
                     "tests cli/plan_operation.hpp"},
      .forbidden = {"kernels cmath", "kernels math.h"},
      .without_numerics = {"kernels/operations/"},
      .third_party =
          {
              {"CLI/", {"cli"}},
              {"cairo", {"render"}},
              {"cblas.h", {"blas", "bench"}},
              {"fftw3.h", {"transform", "tests", "bench"}},
              {"fmt/",
               {"base", "io", "audio", "render", "fft", "blas", "engine", "kernels", "dispatch",
                "transform", "signal", "contract", "decompose", "chem", "cli", "calibration"}},
              {"gnu/", {"bench"}},
              {"gtest/", {"tests"}},
              {"hwy/", {"fft", "engine", "chem", "calibration", "tests"}},
              {"immintrin.h", {}},
              {"lapacke.h", {"blas"}},
              {"linux/", {"tests"}},
              {"nlohmann/", {"base", "io", "engine", "cli", "tests", "bench"}},
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
