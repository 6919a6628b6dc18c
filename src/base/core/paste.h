/* Names made of parts, the parts' macros replaced first: what templates (.inc) name their functions and types by.
 * CPI_JOIN(a, b) is ab, CPI_PASTE(a, b) is a_b. */
#ifndef CPI_CORE_PASTE_H
#define CPI_CORE_PASTE_H

#define CPI_JOIN2(a, b) a##b
#define CPI_JOIN(a, b) CPI_JOIN2(a, b)
#define CPI_PASTE2(a, b) a##_##b
#define CPI_PASTE(a, b) CPI_PASTE2(a, b)

#endif
