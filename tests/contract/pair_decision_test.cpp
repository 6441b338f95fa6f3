#include <gtest/gtest.h>

#include "contract/naive_step.hpp"
#include "contract/pair_design.hpp"
#include "papilio/base/error.hpp"

namespace papilio::test {
namespace {

using namespace contract_detail;
using sizes = std::map<char, std::size_t>;

pair_design design_of(const std::string& text, const sizes& extents) {
  const std::size_t comma = text.find(','), arrow = text.find("->");
  return {row_major(text.substr(0, comma), extents),
          row_major(text.substr(comma + 1, arrow - comma - 1), extents),
          row_major(text.substr(arrow + 2), extents), false, false};
}

sizes all_of(std::size_t extent) {
  sizes result;
  for (char c = 'a'; c <= 'p'; ++c) result[c] = extent;
  return result;
}

TEST(PairDecision, NothingIsCopiedThatBlasCanBeToldOf) {
  for (const char* text :
       {"ab,bc->ac", "ab,cb->ac", "ba,bc->ac", "ba,cb->ac", "ab,bc->ca", "ba,cb->ca", "abc,cd->abd",
        "abc,abd->cd", "abc,dbc->ad", "abcd,cdef->abef", "mi,mnp->inp", "abc,acd->abd",
        "abc,adc->abd", "bac,bcd->bad", "abc,dec->abde", "abc,bcd->ad"}) {
    const pair_design design = design_of(text, all_of(48));
    EXPECT_EQ(design.scratch_size(), 0u) << text << ": " << design.to_string();
    EXPECT_FALSE(design.lowering().is_loops) << text;
  }
}

TEST(PairDecision, OneProductWhereLabelsAreNeighbours) {
  const pair_design design = design_of("abcd,cdef->abef", all_of(8));
  EXPECT_EQ(design.lowering().products.calls(), 1);
  EXPECT_EQ(design.to_string(), "gemm 64x64x64");
}

TEST(PairDecision, ALoopOverTheOuterLabelWhereThatAvoidsACopy) {
  // c stands between a and d: a product for each a.
  const pair_design design = design_of("acb,bd->adc", all_of(64));
  EXPECT_EQ(design.scratch_size(), 0u) << design.to_string();
  EXPECT_EQ(design.lowering().products.calls(), 64);
}

TEST(PairDecision, TheSmallerOperandIsCopied) {
  sizes extents = all_of(24);
  extents['c'] = 320;
  extents['d'] = 200;
  const pair_design design = design_of("abc,bda->dc", extents);
  EXPECT_EQ(design.lowering().left.size, 0u);
  EXPECT_EQ(design.lowering().right.size, 24u * 24 * 200);
  EXPECT_EQ(design.lowering().out.size, 0u);
}

TEST(PairDecision, SmallBlocksAreGatheredIntoOneProduct) {
  const pair_design design = design_of("abcd,ebfd->aecf", all_of(24));
  EXPECT_EQ(design.lowering().products.calls(), 1) << design.to_string();
}

TEST(PairDecision, LoopsForWhatIsNoProductOfMatrices) {
  for (const char* text : {"a,a->a", "a,b->ab", "ab,ab->", "ab,b->a", "ab,a->b", "ab,ab->a",
                           "a,->a", ",->", "ab,cb->abc"}) {
    const pair_design design = design_of(text, all_of(30));
    EXPECT_TRUE(design.lowering().is_loops) << text;
    EXPECT_EQ(design.scratch_size(), 0u) << text;
  }
}

TEST(PairDecision, DiagonalsAreStrides) {
  const pair_design design = design_of("aab,bc->ac", all_of(40));
  EXPECT_EQ(design.scratch_size(), 0u) << design.to_string();
  EXPECT_EQ(design.m(), 40u);
  EXPECT_EQ(design.k(), 40u);
}

TEST(PairDecision, WhatOneOperandAloneHasIsSummedFirst) {
  const pair_design design = design_of("abd,bc->ac", all_of(32));
  EXPECT_EQ(design.k(), 32u);
  EXPECT_TRUE(design.lowering().left.must_sum);
  EXPECT_EQ(design.lowering().left.size, 32u * 32);
  EXPECT_EQ(design.to_string(), "gemm 32x32x32, left summed");
}

TEST(PairDecision, AnAxisAlongWhichAnOperandIsConstantIsNotItsOwn) {
  layout left = row_major("iab", all_of(24)), right = row_major("ibc", all_of(24));
  left.strides[0] = 0;
  const pair_design design(left, right, row_major("aic", all_of(24)), false, false);
  EXPECT_EQ(design.batch(), 1u);
  EXPECT_EQ(design.n(), 24u * 24);
}

TEST(PairDecision, KindsOfSteps) {
  const auto kind = [](const char* text) { return design_of(text, all_of(5)).kind(); };
  EXPECT_EQ(kind("ab,bc->ac"), step_kind::gemm);
  EXPECT_EQ(kind("ab,b->a"), step_kind::gemm);
  EXPECT_EQ(kind("iab,ibc->iac"), step_kind::batched_gemm);
  EXPECT_EQ(kind("ab,ba->"), step_kind::dot);
  EXPECT_EQ(kind("a,b->ba"), step_kind::outer);
  EXPECT_EQ(kind("ab,ba->ab"), step_kind::elementwise);
  EXPECT_EQ(kind(",->"), step_kind::elementwise);
  EXPECT_STREQ(to_string(step_kind::batched_gemm), "batched gemm");
}

TEST(PairDecision, AnEmptyResultNeedsNothing) {
  sizes extents = all_of(7);
  extents['a'] = 0;
  const pair_design design = design_of("ab,bc->ac", extents);
  EXPECT_EQ(design.scratch_size(), 0u);
  run<float>(design, nullptr, nullptr, nullptr, 1, 0, {}, 1);
}

TEST(PairDecision, BytesCountCopiesTwice) {
  EXPECT_EQ(design_of("ab,bc->ac", all_of(10)).bytes(8), 3 * 100 * 8.0);
  const pair_design copied = design_of("abcd,ebfd->aecf", all_of(24));
  const double one = 24 * 24 * 24 * 24;
  EXPECT_EQ(copied.bytes(4), (3 * one + 2 * static_cast<double>(copied.lowering().left.size +
                                                                copied.lowering().right.size +
                                                                copied.lowering().out.size)) *
                                 4);
}

TEST(PairDecision, ScratchThatIsTooSmallIsRefused) {
  const pair_design design = design_of("abcd,ebfd->aecf", all_of(24));
  ASSERT_GT(design.scratch_size(), 0u);
  EXPECT_THROW(run<float>(design, nullptr, nullptr, nullptr, 1, 0, {}, 1), invalid_argument);
}

TEST(NaturalOrder, NeedsNoCopy) {
  for (const char* text : {"abcd,ebfd->aecf", "abc,bda->dc", "iab,ibc->aic", "abij,cjbk->aick"}) {
    const std::string s = text;
    const std::size_t comma = s.find(','), arrow = s.find("->");
    const layout left = row_major(s.substr(0, comma), all_of(24));
    const layout right = row_major(s.substr(comma + 1, arrow - comma - 1), all_of(24));
    const layout asked = row_major(s.substr(arrow + 2), all_of(24));
    std::string letters;
    for (int label : natural_output_order(left, right, asked.labels))
      letters += static_cast<char>('a' + label);
    ASSERT_EQ(letters.size(), asked.labels.size());
    const pair_design design(left, right, row_major(letters, all_of(24)), false, false);
    EXPECT_EQ(design.lowering().out.size, 0u) << text << " to " << letters;
  }
}

TEST(NaturalOrder, IsTheOneAskedForWhereThatIsAsGood) {
  const layout left = row_major("ab", all_of(9)), right = row_major("bc", all_of(9));
  const std::vector<int> rows_first{0, 2}, columns_first{2, 0};
  EXPECT_EQ(natural_output_order(left, right, rows_first), rows_first);
  EXPECT_EQ(natural_output_order(left, right, columns_first), columns_first);
}

}  // namespace
}  // namespace papilio::test
