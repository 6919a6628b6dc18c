/* Switching between stacks. A context is a stack pointer; the registers that the ABI preserves are on the stack below
 * it. */
#include <stddef.h>

#include "kernel/fibers.h"

#if defined(__x86_64__)

__asm__(".text\n.globl cpi_context_switch\n.hidden cpi_context_switch\n.type cpi_context_switch, @function\n"
        "cpi_context_switch:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size cpi_context_switch, . - cpi_context_switch\n"
        ".hidden cpi_context_start\n.type cpi_context_start, @function\n"
        "cpi_context_start:\n"
        "    movq %r12, %rdi\n"
        "    callq *%r13\n"
        "    ud2\n"
        ".size cpi_context_start, . - cpi_context_start\n"
        ".globl cpi_context_call\n.hidden cpi_context_call\n.type cpi_context_call, @function\n"
        "cpi_context_call:\n"
        "    pushq %rbp\n    movq %rsp, %rbp\n    movq %rdx, %rsp\n"
        "    movq %rdi, %rax\n    movq %rsi, %rdi\n    callq *%rax\n"
        "    movq %rbp, %rsp\n    popq %rbp\n    ret\n"
        ".size cpi_context_call, . - cpi_context_call\n");
void cpi_context_start(void);

void *cpi_context_make(char *top, void (*entry)(void *), void *argument)
{
    void **sp = (void **)((uintptr_t)top & ~(uintptr_t)15);
    *--sp = NULL; /* two words: where cpi_context_start begins the stack is aligned to 16, for its call of `entry` */
    *--sp = NULL;
    *--sp = (void *)&cpi_context_start; /* where the first switch returns to */
    *--sp = NULL;                       /* rbp */
    *--sp = NULL;                       /* rbx */
    *--sp = argument;                   /* r12 */
    *--sp = (void *)entry;              /* r13 */
    *--sp = NULL;                       /* r14 */
    *--sp = NULL;                       /* r15 */
    return sp;
}

#elif defined(__aarch64__)

__asm__(".text\n.globl cpi_context_switch\n.hidden cpi_context_switch\n.type cpi_context_switch, %function\n"
        "cpi_context_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp]\n    stp x21, x22, [sp, #16]\n    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n    str x9, [x0]\n    mov sp, x1\n"
        "    ldp x19, x20, [sp]\n    ldp x21, x22, [sp, #16]\n    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n    ret\n"
        ".size cpi_context_switch, . - cpi_context_switch\n"
        ".hidden cpi_context_start\n.type cpi_context_start, %function\n"
        "cpi_context_start:\n    mov x0, x19\n    blr x20\n    brk #0\n"
        ".size cpi_context_start, . - cpi_context_start\n"
        ".globl cpi_context_call\n.hidden cpi_context_call\n.type cpi_context_call, %function\n"
        "cpi_context_call:\n"
        "    stp x29, x30, [sp, #-16]!\n    mov x29, sp\n    mov sp, x2\n"
        "    mov x9, x0\n    mov x0, x1\n    blr x9\n"
        "    mov sp, x29\n    ldp x29, x30, [sp], #16\n    ret\n"
        ".size cpi_context_call, . - cpi_context_call\n");
void cpi_context_start(void);

void *cpi_context_make(char *top, void (*entry)(void *), void *argument)
{
    void **sp = (void **)((uintptr_t)top & ~(uintptr_t)15) - 20;
    for (int i = 0; i < 20; i++) sp[i] = NULL;
    sp[0] = argument;                    /* x19 */
    sp[1] = (void *)entry;               /* x20 */
    sp[11] = (void *)&cpi_context_start; /* x30 */
    return sp;
}

#else /* by the C library, which saves more than needed */

#include <stdlib.h>
#include <ucontext.h>

typedef struct context {
    ucontext_t state;
    void (*entry)(void *);
    void *argument;
} context;

void cpi_context_switch(void **from, void *to)
{
    context here; /* lies on the stack that is left, and is read when the context resumes */
    *from = &here;
    swapcontext(&here.state, &((context *)to)->state);
}

static void start(unsigned high, unsigned low)
{
    context *c = (context *)((uintptr_t)high << 16 << 16 | low);
    c->entry(c->argument);
}

void *cpi_context_make(char *top, void (*entry)(void *), void *argument)
{
    context *c = (context *)(((uintptr_t)top - sizeof *c) & ~(uintptr_t)63);
    getcontext(&c->state);
    c->entry = entry;
    c->argument = argument;
    c->state.uc_link = NULL;
    c->state.uc_stack.ss_size = 32 << 10;
    c->state.uc_stack.ss_sp = (char *)c - c->state.uc_stack.ss_size;
    makecontext(&c->state, (void (*)(void))start, 2, (unsigned)((uintptr_t)c >> 16 >> 16), (unsigned)(uintptr_t)c);
    return c;
}

typedef struct separate { void (*f)(void *); void *argument, *home; } separate;

static void begin(void *memory)
{
    separate *s = memory;
    void *unused;
    s->f(s->argument);
    cpi_context_switch(&unused, s->home);
}

void cpi_context_call(void (*f)(void *), void *argument, char *top)
{
    separate s = {f, argument, NULL};
    cpi_context_switch(&s.home, cpi_context_make(top, begin, &s));
}

#endif
