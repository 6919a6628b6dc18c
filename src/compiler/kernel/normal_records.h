/* The records (struct, class) of a program, their members and which of their methods wait for other threads. */
#ifndef CPI_KERNEL_NORMAL_RECORDS_H
#define CPI_KERNEL_NORMAL_RECORDS_H

#include "kernel/translate.h"

typedef enum cpi_record_member_kind { CPI_M_DATA, CPI_M_STATIC, CPI_M_METHOD, CPI_M_TYPE } cpi_record_member_kind;

typedef struct cpi_record {
    int name, open;               /* its name, its { */
    int head;                     /* template, or -1 */
    int bases, bases_end;         /* behind the :; equal where there are none */
    bool special;                 /* a specialization */
} cpi_record;

typedef struct cpi_record_member {
    int record, name, declared;   /* declared: the name in the record, of a method that is defined outside */
    uint8_t kind;                 /* cpi_record_member_kind */
    int first, type_end;          /* of data, types: the declared type; of methods: of the result */
    bool fixed;                   /* of a method: static */
    bool virtual, waits;          /* of a method */
    bool abstruse;                /* of a method: constructors and others that are not inlined */
    cpi_cu_function function;     /* of a method: with a body */
} cpi_record_member;

typedef struct cpi_records {
    cpi_record *record;
    int nrecords, record_capacity;
    cpi_record_member *member;
    int nmembers, member_capacity;
    bool *waiting;                /* of each function: it waits, or what it calls does, methods included */
    bool any;                     /* a method or a lambda waits */
    bool functors;                /* objects that are called may wait */
    uint32_t counts;              /* the numbers of arguments, as bits, with which those are called */
    bool lambdas;                 /* there are lambdas */
    bool failed;
} cpi_records;

/* False: no memory. */
bool cpi_records_read(const cpi_cu_program *p, cpi_records *r);
void cpi_records_free(cpi_records *r);
/* The record that the name means, -1: none or several. */
int cpi_records_named(const cpi_cu_program *p, const cpi_records *r, const cpi_token *name);
/* Whether a call of the name at token i, by its name, may be of a method that waits. */
bool cpi_records_may_wait(const cpi_cu_program *p, const cpi_records *r, int i);
/* Whether a call at the ( at `open` calls a value: of an element, of what another call returns. */
bool cpi_records_odd_call(const cpi_cu_program *p, int open);
/* The { of the lambda whose [ is at i, or -1; its (, or -1. */
int cpi_lambda_body(const cpi_tokens *t, int i);

#endif
