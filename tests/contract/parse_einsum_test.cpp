#include <gtest/gtest.h>

#include <cctype>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/contract/expression.hpp"

namespace papilio {
namespace {

using shapes = std::vector<std::vector<std::size_t>>;
using labels = std::vector<std::vector<int>>;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

/// "2,3", or "-" for no axes.
std::vector<std::size_t> shape_of(const std::string& text) {
  std::vector<std::size_t> shape;
  if (text == "-") return shape;
  for (const std::string& part : split(text, ',')) shape.push_back(std::stoul(part));
  return shape;
}

std::size_t size_of(const std::vector<std::size_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

/// The element of the reference's operand k.
std::int64_t element(std::size_t k, std::size_t at) {
  return static_cast<std::int64_t>((at * 7 + k * 5) % 11) - 5;
}

/// What the expression says, term by term, over all values of all labels.
std::vector<std::int64_t> evaluate(const einsum_expression& e, const shapes& extents) {
  const contraction_network& network = e.network;
  std::size_t result_size = 1;
  for (const int label : network.output) result_size *= network.sizes.at(std::size_t(label));
  std::vector<std::int64_t> result(result_size);
  std::vector<std::size_t> values(network.sizes.size());
  const std::size_t all = size_of(network.sizes);
  for (std::size_t term = 0; term < all; ++term) {
    for (std::size_t label = 0, rest = term; label < values.size(); ++label) {
      values[label] = rest % network.sizes[label];
      rest /= network.sizes[label];
    }
    std::int64_t product = 1;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      std::size_t at = 0;
      for (std::size_t axis = 0; axis < extents[k].size(); ++axis) {
        const int label = e.axes.at(k).at(axis);
        at = at * extents[k][axis] + (label < 0 ? 0 : values.at(std::size_t(label)));
      }
      product *= element(k, at);
    }
    std::size_t at = 0;
    for (const int label : network.output)
      at = at * network.sizes[std::size_t(label)] + values[std::size_t(label)];
    result[at] += product;
  }
  return result;
}

/// What the reference says of a result: its shape and a weighted sum.
std::string digest(const einsum_expression& e, const shapes& extents) {
  std::string text;
  for (const int label : e.network.output) {
    if (!text.empty()) text += ',';
    text += std::to_string(e.network.sizes.at(std::size_t(label)));
  }
  if (text.empty()) text = "-";
  std::int64_t sum = 0;
  std::size_t at = 0;
  for (const std::int64_t value : evaluate(e, extents))
    sum += static_cast<std::int64_t>(at++ % 13 + 1) * value;
  text += ' ';
  return text += std::to_string(sum);
}

/// The labels of a text that is accepted, as numbers of the same order, above 52.
einsum_labels numbered(const std::string& text) {
  einsum_labels result{.inputs = {{}}};
  std::vector<int>* term = &result.inputs.back();
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (std::isalpha(static_cast<unsigned char>(text[at]))) term->push_back(100 * text[at]);
    if (text[at] == ',') term = &result.inputs.emplace_back();
    if (text[at] == '-') term = &result.output.emplace();
    if (text[at] == '.') {
      term->push_back(ellipsis_label);
      at += 2;
    }
  }
  return result;
}

void expect_consistent(const einsum_expression& e, const shapes& extents) {
  validate(e.network);
  ASSERT_EQ(e.axes.size(), extents.size());
  for (std::size_t k = 0; k < extents.size(); ++k) {
    std::vector<int> kept;
    ASSERT_EQ(e.axes[k].size(), extents[k].size());
    for (std::size_t axis = 0; axis < extents[k].size(); ++axis) {
      if (e.axes[k][axis] < 0)
        EXPECT_EQ(extents[k][axis], 1u);
      else
        EXPECT_EQ(extents[k][axis], e.network.sizes.at(std::size_t(e.axes[k][axis])));
      if (e.axes[k][axis] >= 0) kept.push_back(e.axes[k][axis]);
    }
    EXPECT_EQ(kept, e.network.inputs[k]);
  }
}

// Lines "text|shapes|result" of reference/make_einsum_reference.py: numpy's shape and a weighted
// sum of its result, or "!" where it refuses.
TEST(parse_einsum, as_numpy) {
  std::ifstream file(PAPILIO_EINSUM_REFERENCE);
  std::size_t accepted = 0, refused = 0;
  for (std::string line; std::getline(file, line);) {
    SCOPED_TRACE(line);
    const std::vector<std::string> fields = split(line, '|');
    ASSERT_EQ(fields.size(), 3u);
    shapes extents;
    for (const std::string& shape : split(fields[1], ';')) extents.push_back(shape_of(shape));
    try {
      const einsum_expression e = parse_einsum(fields[0], extents);
      EXPECT_EQ(digest(e, extents), fields[2]);
      expect_consistent(e, extents);
      einsum_expression by_numbers = parse_einsum(numbered(fields[0]), extents);
      by_numbers.network.names = e.network.names;
      EXPECT_EQ(by_numbers, e);
      ++accepted;
    } catch (const error& refusal) {
      EXPECT_EQ(fields[2], "!") << refusal.what();
      EXPECT_TRUE(std::string(refusal.what()).ends_with("^")) << refusal.what();
      ++refused;
    }
  }
  EXPECT_GT(accepted, 300u);
  EXPECT_GT(refused, 150u);
}

TEST(parse_einsum, broadcast_axes_have_no_label) {
  const shapes extents{{2, 1, 3}, {3, 4}, {5, 2, 1}};
  const einsum_expression e = parse_einsum("...ij,jk,...k->...ki", extents);
  EXPECT_EQ(e.network.names, (std::vector<std::string>{"...0", "...1", "i", "j", "k"}));
  EXPECT_EQ(e.network.sizes, (std::vector<std::size_t>{5, 2, 1, 3, 4}));
  EXPECT_EQ(e.axes, (labels{{1, 2, 3}, {3, 4}, {0, 1, -1}}));
  EXPECT_EQ(e.network.inputs, (labels{{1, 2, 3}, {3, 4}, {0, 1}}));
  EXPECT_EQ(e.network.output, (std::vector<int>{0, 1, 4, 2}));
}

template <class Error>
void expect_message(const std::string& text, const shapes& extents, const std::string& message) {
  try {
    parse_einsum(text, extents);
    ADD_FAILURE() << text << " was accepted";
  } catch (const Error& refusal) {
    EXPECT_EQ(std::string(refusal.what()), message);
  }
}

// A product of two matrices for any labels: e acute, alpha, a character of three bytes, one of four.
TEST(parse_einsum, labels_are_letters_of_any_alphabet) {
  const std::string e = "\xc3\xa9", alpha = "\xce\xb1", zhong = "\xe4\xb8\xad",
                    bold = "\xf0\x9d\x90\x80";
  const auto read = parse_einsum(e + alpha + " , " + alpha + zhong, shapes{{2, 3}, {3, 4}});
  EXPECT_EQ(read.network.sizes, (std::vector<std::size_t>{2, 3, 4}));
  EXPECT_EQ(read.network.output, (std::vector<int>{0, 2}));
  EXPECT_EQ(read.network.names, (std::vector<std::string>{e, alpha, zhong}));
  // Without "->" in the order of code points.
  EXPECT_EQ(parse_einsum(bold + zhong + e + "b" + alpha, shapes{{2, 3, 4, 5, 6}}).network.output,
            (std::vector<int>{3, 2, 4, 1, 0}));
}

// More labels than there are letters in ASCII: a chain of matrices that ends where it begins.
TEST(parse_einsum, more_than_52_labels) {
  std::string text;
  const auto letter = [](int i) {
    const int code = 0x400 + i % 100;  // of the Cyrillic alphabet
    return std::string{static_cast<char>(0xc0 | code >> 6),
                       static_cast<char>(0x80 | (code & 0x3f))};
  };
  for (int i = 0; i < 100; ++i) text += (i ? "," : "") + letter(i) + letter(i + 1);
  const auto read = parse_einsum(text + "->", shapes(100, {2, 2}));
  EXPECT_EQ(read.network.sizes.size(), 100u);
  EXPECT_TRUE(read.network.output.empty());
}

TEST(parse_einsum, faults_of_the_text_are_shown_where_they_are) {
  const auto expect = expect_message<invalid_argument>;
  expect("ij,j1", {{2, 3}, {3}},
         "einsum: labels are letters: a-z, A-Z, or any beyond ASCII, in UTF-8\n  ij,j1\n      ^");
  expect("i..", {{2}}, "einsum: a \".\" that is no part of \"...\"\n  i..\n   ^");
  expect("...i...", {{2}}, "einsum: a second \"...\"\n  ...i...\n      ^");
  expect("i-j", {{2}}, "einsum: \"-\" is followed by no \">\"\n  i-j\n   ^");
  expect("i>j", {{2}}, "einsum: \">\" without \"-\" before it\n  i>j\n   ^");
  expect("i->i->i", {{2}}, "einsum: there is a \"->\" already\n  i->i->i\n      ^");
  expect("i->i,", {{2}}, "einsum: the result takes no comma\n  i->i,\n      ^");
  expect("ij->iji", {{2, 3}}, "einsum: the result has label 'i' twice\n  ij->iji\n        ^");
  expect("ij->k", {{2, 3}}, "einsum: the result's label 'k' is of no operand\n  ij->k\n      ^");
  expect("i ,j,k", {{2}, {2}}, "einsum: there are 2 operands, and labels of 3\n  i ,j,k\n      ^");
  expect("i", {{2}, {2}}, "einsum: there are 2 operands, and labels of 1\n  i\n   ^");
  // A letter cut short, one told in too many bytes, a half of a pair, and a space.
  for (const std::string bad :
       {"\xc3", "\xc1\x81", "\xe0\x81\x81", "\xed\xa0\x80", "\xc2\xa0", "\xf4\x90\x80\x80", "\x80"})
    EXPECT_THROW(parse_einsum("i" + bad, shapes{{2, 2}}), invalid_argument) << bad.size();
  expect("\xc3\xa9j,j1", {{2, 3}, {3}},
         "einsum: labels are letters: a-z, A-Z, or any beyond ASCII, in UTF-8\n  \xc3\xa9j,j1\n    "
         "  ^");
  expect(
      "\xe4\xb8\xad->j", {{2}},
      "einsum: the result's label 'j' is of no operand\n  \\xe4\\xb8\\xad->j\n                ^");
  expect(std::string("i\0j", 3), {{2}},
         "einsum: labels are letters: a-z, A-Z, or any beyond ASCII, in UTF-8\n  i\\x00j\n   ^");
  expect("i\tj", {{2, 2}},
         "einsum: labels are letters: a-z, A-Z, or any beyond ASCII, in UTF-8\n  i\\x09j\n   ^");
  EXPECT_THROW(parse_einsum("", {}), invalid_argument);
}

TEST(parse_einsum, extents_that_do_not_fit_are_shown_where_they_are) {
  const auto expect = expect_message<shape_error>;
  expect("ij,jk->ik", {{2, 3}, {4, 5}},
         "einsum: label 'j' has extent 3 in operand 0, and 4 in operand 1\n  ij,jk->ik\n     ^");
  // Which operand gave the extent, where the first had 1.
  expect("i,i,i", {{1}, {3}, {2}},
         "einsum: label 'i' has extent 3 in operand 1, and 2 in operand 2\n  i,i,i\n      ^");
  expect("ii", {{1, 3}},
         "einsum: label 'i' has extents 1 and 3 in operand 0, its diagonal needs equal ones\n"
         "  ii\n   ^");
  expect("i,ijk", {{2}, {2, 3}}, "einsum: operand 1 has 2 axes and 3 labels\n  i,ijk\n      ^");
  expect("i ,j", {{2, 3}, {2}},
         "einsum: operand 0 has 2 axes, more than labels, and no \"...\" for the others\n"
         "  i ,j\n   ^");
  expect("i...,...->...", {{2, 3, 4}, {5, 1}},
         "einsum: \"...\" is of extent 3 on axis 1 of operand 0, and of 5 on axis 0 of operand 1\n"
         "  i...,...->...\n       ^");
  expect("...i->i", {{2, 3}},
         "einsum: the result has no \"...\" for the 1 axis that it stands for in the operands\n"
         "  ...i->i\n         ^");
}

TEST(parse_einsum, long_texts_are_shown_around_the_fault) {
  std::string text(1000, ' ');
  text[700] = '#';
  try {
    parse_einsum(text, shapes{{}});
    ADD_FAILURE();
  } catch (const invalid_argument& refusal) {
    const std::vector<std::string> lines = split(refusal.what(), '\n');
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_LT(lines[1].size(), 300u);
    EXPECT_EQ(lines[1].find('#'), lines[2].find('^'));
    EXPECT_TRUE(lines[1].starts_with("  [more] ") && lines[1].ends_with(" [more]"));
  }
}

TEST(parse_einsum, numbers_beyond_the_alphabet) {
  einsum_labels l;
  shapes extents;
  for (int label = 0; label < 200; ++label) {
    l.inputs.push_back({label * 1000, (label + 1) * 1000});
    extents.push_back({2, 2});
  }
  const einsum_expression e = parse_einsum(l, extents);
  EXPECT_EQ(e.network.sizes.size(), 201u);
  EXPECT_EQ(e.network.names.back(), "200000");
  EXPECT_EQ(e.network.output, (std::vector<int>{0, 200}));
}

TEST(parse_einsum, faults_of_numbers_name_operand_and_position) {
  const auto expect = [](const einsum_labels& l, const shapes& extents, const char* message) {
    try {
      parse_einsum(l, extents);
      ADD_FAILURE() << message;
    } catch (const error& refusal) {
      EXPECT_STREQ(refusal.what(), message);
    }
  };
  expect({{{0, -2}}}, {{2, 2}}, "einsum: operand 0, position 1: labels must be at least 0, got -2");
  expect({{{-1, -1}}}, {{2, 2}}, "einsum: operand 0, position 1: a second ellipsis");
  expect({{{0}, {0}}}, {{2}}, "einsum: there is 1 operand, and labels of 2");
  expect({{{0}}, {{7}}}, {{2}},
         "einsum: result, position 0: the result's label 7 is of no operand");
  expect({{{0}, {3, 0}}}, {{2}, {2, 3}},
         "einsum: operand 1, position 1: label 0 has extent 2 in operand 0, and 3 in operand 1");
  expect({{}, {}}, {}, "einsum: at least one operand is needed");
}

TEST(parse_einsum, limits) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const std::vector<std::size_t> ones(17, 1);
  EXPECT_THROW(
      parse_einsum(letters.substr(0, 17) + ',' + letters.substr(17, 17), shapes{ones, ones}),
      shape_error);
  EXPECT_THROW(parse_einsum("...", shapes{std::vector<std::size_t>(33, 1)}), shape_error);
  EXPECT_EQ(parse_einsum("...", shapes{std::vector<std::size_t>(32, 1)}).network.output.size(),
            32u);
  const std::size_t large = std::size_t{1} << 33;
  EXPECT_THROW(parse_einsum("i,j", shapes{{large}, {large}}), resource_error);
  // What is summed takes no memory, and beside an extent of 0 there is nothing.
  EXPECT_NO_THROW(parse_einsum("i,j->", shapes{{large}, {large}}));
  EXPECT_NO_THROW(parse_einsum("i,j,k", shapes{{large}, {large}, {0}}));
}

// Whatever the text is, it is read or refused by a typed error.
TEST(parse_einsum, random_texts) {
  std::mt19937 random(5);
  const std::string bytes = "ijkA.,->  1\xc3\n";
  for (int trial = 0; trial < 20000; ++trial) {
    std::string text(random() % 12, ' ');
    for (char& c : text) c = bytes[random() % bytes.size()];
    shapes extents(random() % 4);
    for (auto& shape : extents) {
      shape.resize(random() % 4);
      for (std::size_t& extent : shape) extent = random() % 3;
    }
    try {
      expect_consistent(parse_einsum(text, extents), extents);
    } catch (const invalid_argument&) {
    } catch (const shape_error&) {
    }
  }
}

TEST(validate_network, what_it_refuses) {
  const contraction_network good{
      .inputs = {{0, 1}, {1, 1, 2}}, .output = {2, 0}, .sizes = {2, 0, 3}, .names = {}};
  EXPECT_NO_THROW(validate(good));
  EXPECT_NO_THROW(validate({.inputs = {{}}, .output = {}, .sizes = {}, .names = {}}));
  const auto expect = [&](auto change, const std::string& message) {
    contraction_network network = good;
    change(network);
    try {
      validate(network);
      ADD_FAILURE() << message;
    } catch (const invalid_argument& refusal) {
      EXPECT_EQ(refusal.what(), "contraction_network: " + message);
    }
  };
  expect([](auto& n) { n.inputs.clear(); }, "at least one operand is needed");
  expect([](auto& n) { n.inputs[1][2] = 3; },
         "operand 1: label 3 is none of the 3 that have a size");
  expect([](auto& n) { n.inputs[0][0] = -1; },
         "operand 0: label -1 is none of the 3 that have a size");
  expect([](auto& n) { n.output = {3}; }, "result: label 3 is none of the 3 that have a size");
  expect([](auto& n) { n.output = {2, 2}; }, "result: label 2 is there twice");
  expect([](auto& n) { n.inputs = {{0, 1}}; }, "result: label 2 is of no operand");
  expect([](auto& n) { n.names = {"i"}; }, "3 labels need as many names or none, got 1");
  expect(
      [](auto& n) {
        n.names = {"i", "j", "k"};
        n.output = {2, 2};
      },
      "result: label 2 (k) is there twice");
}

}  // namespace
}  // namespace papilio
