#include "apps/mix/workspace.h"

#include "apps/integer/kernels_tree.c"
