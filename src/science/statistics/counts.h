/* Counting on the CPU: slots shared by the module's files. */
#ifndef CPI_STATISTICS_COUNTS_H
#define CPI_STATISTICS_COUNTS_H

#include "statistics/statistics.h"


#endif
