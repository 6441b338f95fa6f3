#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/batch_run.hpp"
#include "cli/common.hpp"
#include "cli/excerpt.hpp"
#include "cli/features.hpp"
#include "cli/flags.hpp"
#include "cli/psd.hpp"
#include "cli/sound_flags.hpp"
#include "cli/spectrogram.hpp"
#include "cli/stft.hpp"
#include "cli/stft_flags.hpp"

namespace papilio::cli {

/// The flags of all the verbs that batch does the work of. One that is given but belongs to another
/// verb's work is refused.
class batch_flags {
 public:
  /// --what, and the flags of the verbs. The object must stay where it is.
  void add_to(command& verb);

  const std::string& what() const { return what_; }
  /// usage_error, naming the flag, as the verbs themselves.
  batch_kind kind() const;

 private:
  /// Adds flags that only some of the works have.
  template <class Add>
  void add_for(const std::set<std::string>& whats, command& verb, const Add& add);
  void share_bounds(command& verb);
  void require_belonging() const;

  std::vector<std::string> formats(const output_kinds& can) const;
  batch_kind features_kind() const;
  batch_kind psd_kind() const;

  std::string what_, formats_;
  stft_form_flags form_;
  bool no_time_ = false;
  stft_flags stft_;
  feature_flags features_;
  psd_flags psd_;
  picture_flags picture_;
  excerpt_request part_;
  sound_flags sound_;
  const option* preset_ = nullptr;
  std::vector<std::pair<const option*, std::set<std::string>>> belonging_;
};

}  // namespace papilio::cli
