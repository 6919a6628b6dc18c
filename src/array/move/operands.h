/* The most inputs and outputs of an elementwise operation; the mask follows them. */
#ifndef CPI_MOVE_OPERANDS_H
#define CPI_MOVE_OPERANDS_H

enum { CPI_MAXIN = 5, CPI_MAXOUT = 4 }; /* seven in all */

#endif
