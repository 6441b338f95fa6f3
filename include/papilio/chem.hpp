#pragma once

#include "papilio/chem/ao_to_mo.hpp"
#include "papilio/chem/df_mp2.hpp"
