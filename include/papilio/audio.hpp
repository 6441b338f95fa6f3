#pragma once

// Sound in: whole files and block by block.

#include "papilio/audio/sound_file.hpp"
