// The kernels of apps/integer on the data of the thread.
#include "apps/mix/workspace.h"

#include "apps/integer/kernels.c"
