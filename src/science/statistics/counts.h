/* Counting on the CPU: slots of the room, between its files. */
#ifndef CPI_STATISTICS_COUNTS_H
#define CPI_STATISTICS_COUNTS_H

#include "statistics/statistics.h"


#endif
