#pragma once

#include <string_view>

namespace papilio::engine {

/// Names a document that fields' comments and sources() cite by its tag.
struct source_document {
  std::string_view tag, title;
};

/// Lists the documents, of the vendor (awsdocs-neuron.readthedocs-hosted.com) but for B1.
inline constexpr source_document source_documents[] = {
    {"A1", "architecture guide of Trainium1 and Inferentia2"},
    {"A2", "architecture guide of Trainium2"},
    {"A3", "architecture guide of Trainium3"},
    {"I:x", "instruction x in the NKI reference, SDK 2.26.1"},
    {"L:x", "instruction x in the NKI reference, SDK 2.31"},
    {"K:x", "instruction x in the NKI reference, SDK 2.32"},
    {"D1", "DMA bandwidth guide"},
    {"D2", "DMA overview"},
    {"D3", "DMA descriptor generation"},
    {"P1", "performance guide"},
    {"H1", "hardware page of trainium"},
    {"H2", "hardware page of trainium2"},
    {"H3", "hardware pages of trainium3, NeuronCore-v4 and trn3 instances"},
    {"M1", "memory hierarchy"},
    {"T1", "tiling"},
    {"E1", "error reference"},
    {"N1", "profiler's schema"},
    {"N2", "profiler's glossary"},
    {"C1", "collectives"},
    {"R1", "asynchronous execution of vllm-neuron, June 2026"},
    {"B1", "profile of a trainium1 kernel (trnsci/trnblas, mp2_energy_profile_findings.md)"},
};

}  // namespace papilio::engine
