#include "contract_steps.hpp"

#include <cstdint>
#include <utility>

namespace papilio::bench {

std::vector<std::size_t> extents_of(const std::string& labels,
                                    const std::map<char, std::size_t>& sizes) {
  std::vector<std::size_t> result;
  for (char c : labels) result.push_back(sizes.at(c));
  return result;
}

tensor<float> made(const std::vector<std::size_t>& extents) {
  tensor<float> x(extents);
  std::uint64_t state = 1;
  for (float& v : x.flat()) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = static_cast<float>(static_cast<double>(state >> 40) * 0x1p-24 - 0.5);
  }
  return x;
}

namespace {

step made_step(const char* text, std::map<char, std::size_t> sizes) {
  const std::string s = text;
  const std::size_t comma = s.find(','), arrow = s.find("->");
  return {text, s.substr(0, comma), s.substr(comma + 1, arrow - comma - 1), s.substr(arrow + 2),
          std::move(sizes)};
}

}  // namespace

std::vector<step> contraction_steps() {
  const auto all = [](const char* labels, std::size_t extent) {
    std::map<char, std::size_t> sizes;
    for (const char* c = labels; *c != 0; ++c) sizes[*c] = extent;
    return sizes;
  };
  return {
      made_step("ap,bp->ab", {{'a', 48}, {'b', 48}, {'p', 128}}),
      made_step("mi,mnP->inP", {{'m', 32}, {'i', 8}, {'n', 32}, {'P', 64}}),
      made_step("ij,jk->ik", all("ijk", 512)),
      made_step("bij,bjk->bik", {{'b', 16}, {'i', 256}, {'j', 256}, {'k', 256}}),
      made_step("abcd,ebfd->aecf", all("abcdef", 32)),
      made_step("abcd,cd->ab", all("abcd", 40)),
      made_step("abcd,dbea->ec", all("abcde", 32)),
      made_step("abc,bda->dc", {{'a', 24}, {'b', 24}, {'c', 320}, {'d', 312}}),
      made_step("abcd,aebf->dfce", all("abcdef", 24)),
      made_step("abcde,efbad->cf",
                {{'a', 16}, {'b', 16}, {'c', 200}, {'d', 8}, {'e', 8}, {'f', 180}}),
      made_step("abc,acd->abd", {{'a', 48}, {'b', 96}, {'c', 96}, {'d', 96}}),
      made_step("abc,dca->bd", {{'a', 40}, {'b', 296}, {'c', 40}, {'d', 304}}),
      made_step("abcd,bef->acdef",
                {{'a', 24}, {'b', 72}, {'c', 24}, {'d', 24}, {'e', 20}, {'f', 24}}),
      made_step("abcdef,dega->gfbc",
                {{'a', 24}, {'b', 16}, {'c', 16}, {'d', 16}, {'e', 8}, {'f', 12}, {'g', 24}}),
      made_step("aebf,fdec->abcd", all("abcdef", 24)),
      made_step("abij,cjbk->aick",
                {{'a', 48}, {'b', 16}, {'i', 12}, {'j', 16}, {'c', 40}, {'k', 16}}),
      made_step("iab,jba->ij", {{'i', 200}, {'j', 200}, {'a', 40}, {'b', 40}}),
      made_step("ab,ba->ab", {{'a', 1000}, {'b', 1000}}),
      made_step("ab,cb->abc", {{'a', 100}, {'b', 100}, {'c', 100}}),
      made_step("a,b->ba", {{'a', 1000}, {'b', 1000}}),
      made_step("ab,b->a", {{'a', 1000}, {'b', 1000}}),
      made_step("ab,a->b", {{'a', 1000}, {'b', 1000}}),
      made_step("ab,ba->", {{'a', 1000}, {'b', 1000}}),
      made_step("ab,ab->", {{'a', 1000}, {'b', 1000}}),
      made_step("ab,ab->b", {{'a', 1000}, {'b', 1000}}),
  };
}

}  // namespace papilio::bench
