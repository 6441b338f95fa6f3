#include "engine/program.hpp"

#include <algorithm>

#include "papilio/base/error.hpp"
#include "papilio/engine/device.hpp"

namespace papilio::engine_detail {

using engine::copy_record;
using engine::launch_operand;
using source = launch_operand::source;

namespace {

constexpr auto grain = engine::graph::packing_bytes;

std::string argument_name(const char* list, std::size_t index) {
  return base_detail::message(list, "[", index, "]");
}

bool has_self_overlap(const launch_operand& array) {
  for (std::size_t i = 0; i < array.strides().size(); ++i)
    if (array.strides()[i] == 0 && array.shape().extents[i] > 1) return true;
  return false;
}

void require_apart(const std::string& function, const std::vector<engine::launch_output>& outputs,
                   std::size_t index) {
  const launch_operand& own = outputs[index];
  for (std::size_t k = 0; k < index; ++k) {
    const launch_operand& other = outputs[k];
    if (own.from() != other.from()) continue;
    if ((own.from() == source::host && share_bytes(own, other)) ||
        (own.from() == source::buffer && own.buffer() == other.buffer()))
      throw invalid_argument(
          base_detail::message(function, ": outputs[", index, "]: overlaps outputs[", k, "]"));
  }
}

}  // namespace

void program::add(const std::string& function, const engine::kernel& body,
                  const std::vector<engine::launch_input>& inputs,
                  const std::vector<engine::launch_output>& outputs) {
  if (body.name.empty()) throw invalid_argument(function + ": the kernel has no name");
  if (!body.body) throw invalid_argument(function + ": the kernel " + body.name + " has no body");
  const std::string who = function + "(" + body.name + ")";
  const std::size_t tensors_before = tensors_.size();
  std::vector<std::size_t> rewritten;  // only read before this kernel, which writes them
  node n{body, {}, {}};
  try {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      n.in.push_back(input_tensor(who, argument_name("inputs", i), inputs[i]));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      require_apart(who, outputs, i);
      n.out.push_back(output_tensor(who, argument_name("outputs", i), outputs[i]));
      if (tensor& t = tensors_[n.out.back()]; !t.written) {
        t.written = true;
        rewritten.push_back(n.out.back());
      }
    }
  } catch (...) {
    for (const std::size_t t : rewritten) tensors_[t].written = false;
    tensors_.erase(tensors_.begin() + std::ptrdiff_t(tensors_before), tensors_.end());
    throw;
  }
  count_separate(inputs, outputs);
  extend_key(n);
  nodes_.push_back(std::move(n));
}

void program::count_separate(const std::vector<engine::launch_input>& inputs,
                             const std::vector<engine::launch_output>& outputs) {
  for (const launch_operand& i : inputs) {
    if (i.from() == source::buffer) continue;
    const std::int64_t bytes = i.shape().bytes();
    separate_upload_.add(
        {1, std::uint64_t(bytes), device_->runtime.upload_us(1, double(bytes)) * 1e-6});
  }
  copy_record fetch;
  for (const launch_operand& o : outputs) {
    if (o.from() == source::buffer) continue;
    ++fetch.tensors;
    fetch.bytes += std::uint64_t(o.shape().bytes());
  }
  fetch.seconds = device_->runtime.fetch_us(fetch.tensors, double(fetch.bytes)) * 1e-6;
  separate_fetch_.add(fetch);
}

std::string program::title() const {
  const std::string& first = nodes_.front().body.name;
  return nodes_.size() == 1 ? first
                            : base_detail::message(first, " and ", nodes_.size() - 1, " more");
}

// An input is a tensor that exists already if it is a buffer that the program has used or, in a
// packed program, an array that it has used: the latest tensor of the array has its current values.
std::size_t program::input_tensor(const std::string& function, const std::string& argument,
                                  const launch_operand& operand) {
  if (operand.from() == source::buffer) device_->require_own(function, argument, operand.buffer());
  for (std::size_t i = tensors_.size(); i-- > 0;) {
    const launch_operand& other = tensors_[i].operand;
    if (other.from() != operand.from()) continue;
    if (operand.from() == source::buffer && other.buffer() == operand.buffer()) return i;
    if (operand.from() != source::host || !packed_) continue;
    if (same_array(other, operand)) return i;
    if (tensors_[i].written && share_bytes(other, operand))
      throw invalid_argument(function + ": " + argument + ": overlaps " + tensors_[i].name +
                             ", which a launch before writes, and is not the same array");
  }
  return add_tensor(operand, argument, false);
}

std::size_t program::output_tensor(const std::string& function, const std::string& argument,
                                   const launch_operand& operand) {
  if (operand.from() == source::buffer) device_->require_own(function, argument, operand.buffer());
  if (operand.from() == source::host && has_self_overlap(operand))
    throw invalid_argument(function + ": " + argument + ": is written through a stride of 0");
  for (std::size_t i = tensors_.size(); i-- > 0;) {
    const tensor& other = tensors_[i];
    if (other.operand.from() != operand.from()) continue;
    if (operand.from() == source::buffer && other.operand.buffer() == operand.buffer()) return i;
    // An array that was only read so far gets another tensor: earlier kernels need its old values.
    if (operand.from() != source::host || !packed_ || !other.written) continue;
    if (same_array(other.operand, operand)) return i;
    if (share_bytes(other.operand, operand))
      throw invalid_argument(function + ": " + argument + ": overlaps " + other.name +
                             ", which a launch before writes, and is not the same array");
  }
  return add_tensor(operand, argument, true);
}

std::size_t program::add_tensor(const launch_operand& operand, const std::string& argument,
                                bool is_output) {
  const std::string name =
      packed_ ? base_detail::message("launch ", nodes_.size(), " ", argument) : argument;
  tensors_.push_back({operand, name, operand.shape().bytes(), !is_output, is_output});
  return tensors_.size() - 1;
}

void program::extend_key(const node& n) {
  if (key_.empty()) key_ = device_->machine_key;
  key_ += '\n' + n.body.name + '\n' + n.body.parameters + '\n';
  for (const std::vector<std::size_t>* list : {&n.in, &n.out}) {
    for (const std::size_t t : *list) {
      // Two graphs differ if their kernels share different tensors, even with equal shapes.
      if (packed_) key_ += base_detail::message(t, ":");
      key_ += tensors_[t].operand.shape().describe() + ';';
    }
    key_ += '\n';
  }
}

std::int64_t program::array_bytes(bool to_host) const {
  std::int64_t total = 0;
  for (const tensor& t : tensors_) {
    if (t.operand.from() == source::buffer || t.written != to_host) continue;
    const std::int64_t end = checked_add(t.bytes, grain - 1, "packed arrays: bytes");
    total = checked_add(total, packed_ ? end / grain * grain : t.bytes, "arrays: bytes");
  }
  return total;
}

copy_record program::copies(bool to_host) const {
  if (!packed_) return to_host ? separate_fetch_ : separate_upload_;
  const auto bytes = std::uint64_t(array_bytes(to_host));
  const std::size_t tensors = bytes > 0 ? 1 : 0;
  const double us = to_host ? device_->runtime.fetch_us(tensors, double(bytes))
                            : device_->runtime.upload_us(tensors, double(bytes));
  return {tensors, bytes, us * 1e-6};
}

}  // namespace papilio::engine_detail
