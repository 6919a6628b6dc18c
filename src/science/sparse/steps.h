/* Solvers whose vectors are updated in passes, and whose numbers follow a pass as a turn (turns.inc): cgs, bicg, qmr,
 * bicgstab, tfqmr. */
#ifndef CPI_SPARSE_STEPS_H
#define CPI_SPARSE_STEPS_H

#include "sparse/krylov.h"
#include "sparse/vectors.h"

enum { CPI_STEPS_VECTORS = 7, CPI_STEPS_MOST_STATE = 9 };

typedef struct cpi_steps {
    cp_array *v[CPI_STEPS_VECTORS]; /* owned by no scope, as numbers and state: what each method says */
    cp_array *numbers, *state;
    bool alone;                     /* without a preconditioner */
    int ends;                       /* of the state: not 0 where the solver is about to end; 0: none */
} cpi_steps;

/* Flags, factors and calls of plans. */
enum { MEASURE = 1, STEP = 2 };
#define TURN(k) (CPI_TURN_##k << 3)
#define PLUS(k) CP_FACTOR(0, 0, (k) + 1, 0, 0, 0)
#define MINUS(k) CP_FACTOR(1, 0, (k) + 1, 0, 0, 0)
#define PASS(plan, ...)                                                                       \
    cpi_steps_passed(s, c, (int)(sizeof((cp_array *[]){__VA_ARGS__}) / sizeof(cp_array *)),   \
                     (cp_array *[]){__VA_ARGS__}, (int)(sizeof(plan) / sizeof *(plan)), plan)

/* One pass; false on failure, of which one of the vectors may be the trace. */
bool cpi_steps_passed(cpi_krylov *s, const cpi_steps *c, int vectors, cp_array *const *vector, int n,
                      const int64_t *plan);
/* Makes numbers, a state of so many float64, and vectors: the first `copies` are copies of the residual, others 0. */
bool cpi_steps_begin(cpi_krylov *s, cpi_steps *c, int copies, int vectors, int64_t numbers, int64_t of_state,
                     const double *state);
/* Runs steps where `begun`, of which `first` makes the numbers (NULL: they are there), and frees what *c has. */
bool cpi_steps_run(cpi_krylov *s, cpi_steps *c, bool begun, bool (*first)(cpi_krylov *, cpi_steps *),
                   bool (*step)(cpi_krylov *, cpi_steps *));

/* A product as a pass takes it. */
static inline cp_array *cpi_steps_contiguous(cp_array *x) { return x ? cp_contiguous(x) : NULL; }
static inline double cpi_steps_epsilon(const cpi_krylov *s) { return cpi_krylov_single(s) ? 0x1p-23 : 0x1p-52; }

#endif
