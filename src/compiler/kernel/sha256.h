/* SHA-256 (FIPS 180-4), for keys and contents of the kernel cache. */
#ifndef CPI_KERNEL_SHA256_H
#define CPI_KERNEL_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct cpi_sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
} cpi_sha256;

enum { CPI_SHA256 = 32 };
void cpi_sha256_begin(cpi_sha256 *s);
void cpi_sha256_add(cpi_sha256 *s, const void *data, size_t n);
/* Text with its length, so that two texts are not one. */
void cpi_sha256_string(cpi_sha256 *s, const char *text);
void cpi_sha256_end(cpi_sha256 *s, unsigned char digest[CPI_SHA256]);
/* 64 hexadecimal digits and a 0. */
void cpi_sha256_hex(const unsigned char digest[CPI_SHA256], char hex[2 * CPI_SHA256 + 1]);

#endif
