/* The most inputs and outputs of an elementwise operation; its mask comes behind them. */
#ifndef CPI_MOVE_OPERANDS_H
#define CPI_MOVE_OPERANDS_H

enum { CPI_MAXIN = 3, CPI_MAXOUT = 2 };

#endif
