/* Scans over groups, which cooperative_groups.h has. */
#pragma once
#include <cooperative_groups.h>
