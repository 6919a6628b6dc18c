/* <stddef.h> for every device. */
#pragma once
#ifndef offsetof
#ifdef __CUPRITE_CPU__
#define offsetof(type, member) __builtin_offsetof(type, member)
#else
#define offsetof(type, member) ((size_t)&reinterpret_cast<const volatile char &>(((type *)0)->member))
#endif
#endif
