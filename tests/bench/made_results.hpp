#pragma once

#include "result_file.hpp"

namespace papilio::test {

/// Two rows with everything, one without times.
inline bench::result_file made_results() {
  bench::result_file f{.version = "1.2.3",
                       .build = "papilio 1.2.3",
                       .date = "2026-01-31",
                       .processor = "made \"up\"",
                       .instruction_set = "none",
                       .host_model = "from CPU features",
                       .cores = 2,
                       .blas = "OpenBLAS 0.0",
                       .blas_core = "Prescott",
                       .machine = "trainium1",
                       .runtime = "sdk_2_24"};
  f.rows.push_back({.table = "contractions",
                    .op = "einsum ij,jk->ik",
                    .shape = "1024x1024x1024",
                    .flops = 2147483648.0,
                    .host_one = 0.04,
                    .host_all = 0.02,
                    .peer = "cblas",
                    .peer_one = 0.05,
                    .peer_all = 0.03,
                    .recipe = "tiles",
                    .device_warm = 0.0025,
                    .device_launch = 0.0005,
                    .device_copies = 0.0015,
                    .device_program = 0.0005,
                    .device_resident = 0.001,
                    .device_cold = 20.0,
                    .error = 3e-7,
                    .expected_error = 4e-7,
                    .published_device = 4022.0,
                    .published_host = 3402.0,
                    .grows_by = "side of the matrices",
                    .crossing_warm = bench::crossing{500, 499},
                    .crossing_resident = bench::crossing{0, 4096}});
  f.rows.push_back({.table = "transforms",
                    .op = "fft 1-D",
                    .shape = "n=256",
                    .flops = 10240,
                    .host_one = 1e-6,
                    .host_all = 2e-6,
                    .peer = "FFTW",
                    .peer_one = 1.5e-6,
                    .is_quiet = false,
                    .device_warm = 0.00085,
                    .device_launch = 0.0006,
                    .device_copies = 0.000245,
                    .device_program = 5e-6,
                    .device_resident = 0.000605,
                    .device_cold = 30.0,
                    .published_device = 10034.8,
                    .published_host = 10.5});
  f.rows.push_back({.table = "contractions",
                    .op = "tucker_decompose",
                    .shape = "16^3",
                    .missing = "not built yet",
                    .published_device = 859.0,
                    .published_note = "the host ran"});
  return f;
}

}  // namespace papilio::test
