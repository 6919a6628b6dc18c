/* CUPRITE_CHECK=1: what was found in all launches, told at exit. */
#ifndef CPI_KERNEL_SUMMARY_H
#define CPI_KERNEL_SUMMARY_H

void cpi_summary_launch(void);
/* An error of a launch, as the program got it. */
void cpi_summary_error(const char *message);

#endif
