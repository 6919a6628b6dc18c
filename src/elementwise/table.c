/* The rows of the table as data. */
#include "elementwise/table.h"

#define CPI_IDENTITY_DO(x) true, x
#define CPI_IDENTITY_NONE false, 0
#define CPI_IDENTITY(entry) CPI_IDENTITY_##entry
#define CP_ELEMENTWISE(name, nin, class, identity, ulp, B, I, R, C, doc)                                  \
    {#name, doc, nin, CPI_CLASS_##class,                                                                  \
     CPI_KIND_BOOL * CPI_HAS(B) + CPI_KIND_INT * CPI_HAS(I) + CPI_KIND_FLOAT * CPI_HAS(R) +               \
         CPI_KIND_COMPLEX * CPI_HAS(C),                                                                   \
     CPI_IDENTITY(identity), ulp},
const cpi_op_row cpi_op_rows[CPI_NKERNELS] = {
#include "cuprite/elementwise.def"
#include "elementwise/mixed.def"
#include "elementwise/halves.def"
};
