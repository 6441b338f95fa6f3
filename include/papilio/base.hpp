#pragma once

#include "papilio/base/array.hpp"
#include "papilio/base/atomic_file.hpp"
#include "papilio/base/checked.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/frequency_axis.hpp"
#include "papilio/base/function_ref.hpp"
#include "papilio/base/mel_scale.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/base/split_view.hpp"
#include "papilio/base/untyped_view.hpp"
#include "papilio/base/view.hpp"
