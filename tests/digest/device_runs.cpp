#include "digest/device_runs.hpp"

#include <sstream>

namespace papilio::test {
namespace {

// Every kernel of the catalog: sizes 1, small, prime, odd and long, tails of batches and of tiles,
// precisions, and each choice that issues other instructions. Values between '|' are runs of their
// own.
constexpr const char* table[] = {
    // Complex transforms.
    "fft n=1|2|3|16|60|97|128|131|1000|1009|1024|4096",
    "fft n=7|64|127|255|1024 batch=5",
    "fft n=64|1009|1024|4096 batch=131",
    "fft n=4097|4099|8192|16384|30021|59049|65537|524288|1048576",
    "fft n=7|1000|1009|5000 inner=520",
    "fft n=1|7|1024|1009|65536 direction=inverse",
    "fft n=7|255|1024 precision=bf16|bf16_refined|split_bf16|compensated batch=3",
    "fft n=5000 precision=bf16|split_bf16",
    "fft n=256 batch=3 precision=bf16_refined refinements=2",
    "fft n=256 batch=3 precision=split_bf16 parts=3",
    "fft n=256 batch=128 target_error=1e-2|1e-6",
    "fftn x=3 y=1|64 z=7|128",
    "fftn x=32 y=64 z=64 direction=forward|inverse",
    "fftn y=131 z=12",
    "fftn y=1024 z=1024",
    "dft n=1|7|128 batch=1|131",
    "dft n=64 direction=inverse",
    "butterfly_fft n=1|31|1000 batch=131 compensated=no|yes",
    "butterfly_fft n=8192 direction=inverse",
    // Real transforms.
    "rfft n=1|2|3|16|97|128|131|1001|1009|1018|1024|4096",
    "rfft n=7|64|127|255|1024 batch=5",
    "rfft n=64|1009|1024|4096 batch=131",
    "rfft n=4099|8192|8198|16807|30021|59049|65536|65537|1048576",
    "rfft n=7|1000|1009|5000 inner=520",
    "irfft n=1|2|3|16|97|128|131|1001|1009|1018|1024|4096",
    "irfft n=7|64|127|255|1024 batch=5",
    "irfft n=64|1009|1024|4096 batch=131",
    "irfft n=4099|8192|8198|16807|30021|59049|65536|65537|1048576",
    "irfft n=7|1000|1009|5000 inner=520",
    "rfftn_vjp x=3 y=20 z=64|63 axes=all|last",
    "irfftn_vjp x=3 y=20 z=64|63 axes=all|last",
    "rfftn_vjp y=131 z=1024 axes=last precision=native|split_bf16",
    // Short-time transforms.
    "stft samples=1|511|16000 n_fft=1|7|400 hop=3",
    "stft samples=100000 n_fft=1009|2048|4096 hop=512 output=complex|magnitude",
    "stft output=complex|magnitude|power|db padding=reflect channels=2",
    "stft padding=zero|edge|none",
    "stft output=mel|db mels=40 n_fft=400 hop=160",
    "istft samples=1|511 n_fft=2|7|64 hop=1",
    "istft samples=100000 n_fft=1009|2048|4096 hop=512",
    "istft samples=16000 n_fft=400 hop=160 channels=3 form=inverse|adjoint",
    "istft_vjp samples=1|511|16000 n_fft=7|400 hop=3",
    "istft_vjp samples=100000 n_fft=2048 hop=512 channels=2 precision=native|bf16",
    "stft samples=100000 n_fft=512|1009|2048 hop=512 output=complex precision=bf16|split_bf16",
    "stft output=mel mels=40 n_fft=400|2048 hop=160 precision=bf16|split_bf16",
    "stft samples=100000 n_fft=2048 hop=512 precision=split_bf16 parts=3",
    "stft samples=1000000 n_fft=2048 hop=512 target_error=1e-2|1e-7",
    "istft samples=100000 n_fft=512|1009|2048 hop=250 precision=bf16|split_bf16",
    "istft samples=100000 n_fft=2048 hop=512 precision=split_bf16 parts=3",
    // Products of matrices.
    "gemm m=1|129 k=1|130 n=7|513",
    "gemm m=300 k=257 n=1030 dtype=fp32|bf16|fp16|tf32|fp8_e4m3|fp8_e5m2",
    "gemm m=130 k=200 n=520 left=plain|transposed right=plain|transposed",
    "gemm m=130 k=200 n=520 alpha=2 beta=0.5 bias=no|yes function=copy|gelu",
    "gemm m=130 k=200 n=520 sums=rows|whole function=square",
    "batched_gemm batch=1|5 m=129 k=130 n=7 shared=none|a|b",
    "batched_gemm dtype=bf16 alpha=2 beta=1",
    "complex_gemm m=130 k=200 n=520 products=4|3 dtype=fp32|bf16",
    "complex_gemm m=1 k=1 n=1",
    "complex_linear batch=1|130 in=200 out=520 products=4|3",
    "syrk n=1|300 k=130 part=lower|upper a=plain|transposed",
    "syrk alpha=2 beta=1 dtype=bf16",
    "symm m=1|300 n=130 side=left|right part=lower|upper",
    "symm alpha=2 beta=1",
    "trmm m=130 n=300 side=left|right part=lower|upper a=plain|transposed",
    "trmm m=1 n=7 alpha=2 diagonal=unit",
    "trsm m=130 n=300 side=left|right part=lower|upper a=plain|transposed",
    "trsm m=300 n=64 diagonal=unit alpha=2 refinements=0|2",
    "trsm m=1 n=7",
    "vector operation=axpy|scal|dot|nrm2|asum|iamax n=1|100003",
    "vector operation=axpy|scal alpha=2.5",
    // Contractions and quantum chemistry.
    "contraction sizes=1|5|16",
    "contraction subscripts=ij,jk->ik|ij,jk,kl->il|iij->ij|ij->ji|bij,bjk->bik|ijk,jl->ikl "
    "sizes=40 numbers=real|complex",
    "contraction subscripts=ijkl,klmn->ijmn sizes=12 dtype=fp32|bf16|fp16",
    "ao_to_mo nbasis=30 nocc=1|5 nvir=25 naux=70 layout=pia|iap",
    "ao_to_mo layout=pia|ipa|iap metric=yes",
    "ao_to_mo precision=bf16|split_bf16",
    "mp2_energy nocc=1|5 nvir=19 naux=72 spins=closed_shell|same_spin",
    "mp2_energy nocc=5 nvir=19 naux=72 spins=opposite_spin nocc_other=4 nvir_other=20",
    "mp2_energy nocc=6 nvir=130 naux=200 precision=native|bf16|bf16_refined|split_bf16 frozen=2",
    "mp2_energy nocc=6 nvir=130 naux=200 layout=auxiliary_virtual",
    "mp2_gradient nocc=5 nvir=19 naux=72 form=vjp|jvp spins=closed_shell|same_spin frozen=0|1",
    "mp2_gradient nocc=5 nvir=19 naux=72 spins=opposite_spin nocc_other=4 nvir_other=20 "
    "form=vjp|jvp",
    "mp2_gradient nocc=3 nvir=40 naux=100 precision=bf16|split_bf16",
    // Element by element.
    "complex_mask rows=1|129 columns=1000 count=3",
    "complex_modrelu rows=1|129 features=1000",
    "complex_relu kind=crelu|zrelu form=forward|vjp rows=129 features=1000",
    "complex_modrelu_vjp rows=1|129 features=1000",
    "real_mask rows=1|129 features=1000",
    "complex_mask_vjp mask=complex|real rows=129 features=1000",
    "magnitude_vjp of=magnitude|power rows=129 features=1000",
    "complex_batch_norm form=forward|vjp rows=700 features=1|70|1500",
    "complex_batch_norm moments=running epsilon=1 form=forward|vjp rows=700 features=70",
    "adam n=1|100003",
    "training_step samples=1500 n_fft=64 hop=32 hidden=1|10",
    "rearrange rows=130 columns=1000 out_rows=1|200 out_columns=5|1100",
    "rearrange planes=1to1|1to2|2to1|2to2 conjugate=yes fftshift=yes rows=13 columns=30 "
    "out_rows=13 out_columns=30",
    // The algorithms of others.
    "published/ao_to_mo nbasis=32|130",
    "published/batched_gemm_slice",
    "published/batched_product batch=2 m=1024 k=32 n=1024",
    "published/bmm batch=3",
    "published/butterfly_stage n=1024 batch=1|130 stage=0|5 arithmetic=native|compensated",
    "published/complex_gemm m=512 k=256 n=512 dtype=fp32|bf16",
    "published/complex_linear inputs=128",
    "published/complex_mask elements=1000|524288",
    "published/fused_mp2 nvir=19|128 partials=pairs|lanes",
    "published/gemm m=130|512",
    "published/ladder step=0|1|2|3|4|5 m=512 k=256 n=1024",
    "published/mamba channels=128 states=3 length=512 version=1|2",
    "published/mamba channels=128 states=3 length=1024 version=3",
    "published/matmul m=48|512",
    "published/mp2_energy ic=1|4 hoist=no|yes pairs_per_store=0|2",
    "published/rmsnorm_product m=1024 k=512 n=1024",
    "published/rope columns=1024",
    "published/silu rows=128 columns=2048",
    "published/stockham_stage n=1024 batch=1|130 radix=4",
    "published/stockham_stage n=512 radix=8 combined=1|8",
    "published/transposed_product m=1024 k=256 n=1100",
};

// Words with '|' one value after the other.
void expand(const std::vector<std::string>& words, std::size_t at, const std::string& before,
            std::vector<std::string>& to) {
  if (at == words.size()) {
    to.push_back(before);
    return;
  }
  const std::string& word = words[at];
  const std::size_t equals = word.find('=');
  const std::size_t first = equals == std::string::npos ? 0 : equals + 1;
  std::istringstream values(word.substr(first));
  for (std::string value; std::getline(values, value, '|');)
    expand(words, at + 1, before + (before.empty() ? "" : " ") + word.substr(0, first) + value, to);
}

}  // namespace

std::vector<std::string> device_runs() {
  std::vector<std::string> all;
  for (const char* line : table) {
    std::istringstream text(line);
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    expand(words, 0, "", all);
  }
  return all;
}

}  // namespace papilio::test
