/* Arrays between the ranks of an MPI program: libcuprite-mpi.so, for the MPI that it was compiled with.
 *
 *     mpicc program.c $(pkg-config --cflags --libs cuprite) -lcuprite-mpi
 *
 * The program calls MPI_Init and MPI_Finalize. Arrays of the CPU go to MPI where they lie, those of a GPU where MPI
 * knows CUDA; else they go through page-locked memory of the host. All ranks of a communicator make the same calls in
 * the same order; before a collective they compare what they are about to do, so that other shapes, types or
 * operations, and a rank whose array is NULL because an earlier call failed, are an error on every rank and no rank
 * waits. A rank that does not come is an error too, after `timeout` seconds; the communicator is of no use then, nor is
 * MPI_Finalize: end with MPI_Abort. Results are new arrays on the current device. Threads may call at the same time
 * with communicators of their own, where MPI was initialized for that. */
#ifndef CUPRITE_MPI_H
#define CUPRITE_MPI_H

#include <cuprite.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cp_mpi_op { CP_MPI_SUM, CP_MPI_PROD, CP_MPI_MAX, CP_MPI_MIN } cp_mpi_op;

typedef struct cp_mpi_options {
    CP_OPTION(cp_mpi_op, op);    /* of reductions: the sum by default. Of bools: or, and; complex: sum and product */
    CP_OPTION(int, root);        /* the rank that has, or gets, what is one rank's */
    CP_OPTION(int, tag);         /* of cp_send and cp_recv */
    CP_OPTION(double, timeout);  /* seconds; 0: CUPRITE_DISTRIBUTED_TIMEOUT, or 600 */
    int _;
} cp_mpi_options;

/* The sum (or another operation) of all ranks' arrays, on all ranks. */
CP_API cp_array *cp_allreduce(cp_array *x, MPI_Comm comm, const cp_mpi_options *options);
#define cp_allreduce(...) CP_CALL2(cp_allreduce, cp_mpi_options, __VA_ARGS__, ._ = 0)
/* The same on the root alone; other ranks get an array without elements. */
CP_API cp_array *cp_reduce_to_root(cp_array *x, MPI_Comm comm, const cp_mpi_options *options);
#define cp_reduce_to_root(...) CP_CALL2(cp_reduce_to_root, cp_mpi_options, __VA_ARGS__, ._ = 0)
/* The root's array, on all ranks; what the others give is not looked at, and may be NULL. */
CP_API cp_array *cp_bcast(cp_array *x, MPI_Comm comm, const cp_mpi_options *options);
#define cp_bcast(...) CP_CALL2(cp_bcast, cp_mpi_options, __VA_ARGS__, ._ = 0)
/* All ranks' arrays as rows, on all ranks: shape (ranks, ...). */
CP_API cp_array *cp_allgather(cp_array *x, MPI_Comm comm, const cp_mpi_options *options);
#define cp_allgather(...) CP_CALL2(cp_allgather, cp_mpi_options, __VA_ARGS__, ._ = 0)
/* The same on the root alone; other ranks get an array without rows. */
CP_API cp_array *cp_gather(cp_array *x, MPI_Comm comm, const cp_mpi_options *options);
#define cp_gather(...) CP_CALL2(cp_gather, cp_mpi_options, __VA_ARGS__, ._ = 0)
/* Row r of the root's array, on rank r: the array has as many rows as there are ranks. Others may give NULL. */
CP_API cp_array *cp_scatter(cp_array *x, MPI_Comm comm, const cp_mpi_options *options);
#define cp_scatter(...) CP_CALL2(cp_scatter, cp_mpi_options, __VA_ARGS__, ._ = 0)
/* Row j of rank i is row i of the result on rank j. */
CP_API cp_array *cp_alltoall(cp_array *x, MPI_Comm comm, const cp_mpi_options *options);
#define cp_alltoall(...) CP_CALL2(cp_alltoall, cp_mpi_options, __VA_ARGS__, ._ = 0)
/* An array to another rank, with its type and shape; and one from another rank, of whatever type and shape. */
CP_API cp_code cp_send(cp_array *x, MPI_Comm comm, int rank, const cp_mpi_options *options);
#define cp_send(...) CP_CALL3(cp_send, cp_mpi_options, __VA_ARGS__, ._ = 0)
CP_API cp_array *cp_recv(MPI_Comm comm, int rank, const cp_mpi_options *options);
#define cp_recv(...) CP_CALL2(cp_recv, cp_mpi_options, __VA_ARGS__, ._ = 0)
/* Waits for all ranks, at most so long. */
CP_API cp_code cp_barrier(MPI_Comm comm, const cp_mpi_options *options);
#define cp_barrier(...) CP_CALL(cp_barrier, cp_mpi_options, __VA_ARGS__, ._ = 0)
/* Whether MPI takes pointers to a GPU's memory, by its own words. */
CP_API bool cp_mpi_is_cuda_aware(void);

#ifdef __cplusplus
}
#endif
#endif
