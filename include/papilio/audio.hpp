#pragma once

// Sound in and out: whole files and block by block.

#include "papilio/audio/raw_pcm.hpp"
#include "papilio/audio/sound_file.hpp"
#include "papilio/audio/sound_writer.hpp"
