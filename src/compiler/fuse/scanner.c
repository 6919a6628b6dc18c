/* Tokens of fused texts.
 *
 * Invariant: nothing of the text is read beyond its end, and any bytes give tokens or an error that says where. */
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "fuse/parse.h"

int cpi_wrong(parser *p, int at, const char *format, ...)
{
    char what[256];
    va_list v;
    va_start(v, format);
    vsnprintf(what, sizeof what, format, v);
    va_end(v);
    if (p->end <= 200) cpi_fail(CP_ERROR_VALUE, "fused: %s at column %d of '%s'", what, at + 1, p->text);
    else cpi_fail(CP_ERROR_VALUE, "fused: %s at column %d", what, at + 1);
    return FAILED;
}

static char peek(const parser *p, int k) { return p->next + k < p->end ? p->text[p->next + k] : '\0'; }

static locale_t c_locale;
static void make_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

/* The digits of the token as a number, where a program's locale may have a comma for the point. */
static double real_of(const char *digits)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_locale);
    return c_locale ? strtod_l(digits, NULL, c_locale) : strtod(digits, NULL);
}

static int digit_of(char c, int base)
{
    int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                                                                        : 99;
    return d < base ? d : -1;
}

/* Digits from `next` on, with single underscores between them, to `digits`; how many, or FAILED. */
static int take_digits(parser *p, int base, char *digits, int capacity)
{
    int n = 0;
    for (;; p->next++) {
        char c = peek(p, 0);
        if (c == '_' && n && digit_of(peek(p, 1), base) >= 0) continue;
        if (digit_of(c, base) < 0) return n;
        if (n == capacity) return cpi_wrong(p, p->at, "a number of too many digits");
        digits[n++] = c;
    }
}

static int take_integer(parser *p, int base, const char *digits, int n)
{
    uint64_t v = 0;
    bool over = false;
    for (int i = 0; i < n; i++) {
        over |= __builtin_mul_overflow(v, (uint64_t)base, &v);
        over |= __builtin_add_overflow(v, (uint64_t)digit_of(digits[i], base), &v);
    }
    p->beyond = !over && v == (uint64_t)1 << 63;
    if (over || v > (uint64_t)1 << 63) return cpi_wrong(p, p->at, "an integer beyond 64 bits");
    p->number.type = CP_INT64;
    p->number.integer = (int64_t)v;
    return 0;
}

static int take_number(parser *p)
{
    enum { MOST = 400 };
    char digits[MOST + 8], prefix = peek(p, 0) == '0' ? (char)tolower(peek(p, 1)) : '\0';
    int base = prefix == 'x' ? 16 : prefix == 'o' ? 8 : prefix == 'b' ? 2 : 10, n;
    memset(&p->number, 0, sizeof p->number);
    if (base != 10) {
        p->next += 2;
        n = take_digits(p, base, digits, MOST);
        if (n <= 0) return n ? n : cpi_wrong(p, p->at, "a number without digits");
        if (cpi_in_name(peek(p, 0))) return cpi_wrong(p, p->at, "a number that is none");
        return take_integer(p, base, digits, n);
    }
    bool real = false;
    n = take_digits(p, 10, digits, MOST / 2);
    if (n < 0) return n;
    if (peek(p, 0) == '.') {
        real = true;
        digits[n++] = '.';
        p->next++;
        int more = take_digits(p, 10, digits + n, MOST / 4);
        if (more < 0) return more;
        n += more;
    }
    int sign = peek(p, 1) == '+' || peek(p, 1) == '-';
    if ((peek(p, 0) | 32) == 'e' && isdigit((unsigned char)peek(p, 1 + sign))) {
        real = true;
        digits[n++] = 'e';
        if (sign) digits[n++] = peek(p, 1);
        p->next += 1 + sign;
        int more = take_digits(p, 10, digits + n, 20);
        if (more < 0) return more;
        n += more;
    }
    digits[n] = '\0';
    bool imaginary = (peek(p, 0) | 32) == 'j';
    p->next += imaginary;
    if (cpi_in_name(peek(p, 0))) return cpi_wrong(p, p->at, "a number that is none");
    p->beyond = false;
    if (imaginary) p->number.type = CP_COMPLEX128, p->number.complex = (cp_complex128){0, real_of(digits)};
    else if (real) p->number.type = CP_FLOAT64, p->number.real = real_of(digits);
    else if (n > 1 && digits[0] == '0' && strspn(digits, "0") != (size_t)n)
        return cpi_wrong(p, p->at, "leading zeros of an integer");
    else return take_integer(p, 10, digits, n);
    return 0;
}

static void pass_blanks(parser *p)
{
    for (; p->next < p->end; p->next++) {
        char c = peek(p, 0);
        if (c == '#')
            while (p->next + 1 < p->end && peek(p, 1) != '\n') p->next++;
        else if (c != ' ' && c != '\t' && c != '\r' && c != '\f' && !(c == '\n' && p->parentheses)) return;
    }
}

int cpi_scanner_advance(parser *p)
{
    static const char *const twice[] = {"**", "//", "<<", ">>", "<=", ">=", "==", "!=", "<>", "&&", "||"};
    pass_blanks(p);
    p->at = p->next;
    char c = peek(p, 0);
    if (p->next >= p->end) {
        p->kind = END;
        p->length = 0;
        return 0;
    }
    if (c == ';' || c == '\n') {
        p->kind = BREAK;
        p->length = 1;
        p->next++;
        return 0;
    }
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)peek(p, 1)))) {
        p->kind = NUMBER;
        int code = take_number(p);
        p->length = p->next - p->at;
        return code;
    }
    if (cpi_starts_name(c)) {
        p->kind = NAME;
        while (cpi_in_name(peek(p, 0))) p->next++;
        p->length = p->next - p->at;
        return 0;
    }
    if (!strchr("+-*/%&|^~<>=!(),", c) || !c) {
        if (isprint((unsigned char)c)) return cpi_wrong(p, p->at, "'%c', which means nothing", c);
        return cpi_wrong(p, p->at, "a byte of value %d, which means nothing", (unsigned char)c);
    }
    p->kind = SIGN;
    p->length = 1;
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++)
        if (c == twice[i][0] && peek(p, 1) == twice[i][1]) p->length = 2;
    p->next += p->length;
    return 0;
}

bool cpi_sees(const parser *p, token_kind kind, const char *word)
{
    return p->kind == kind && p->length == (int)strlen(word) && !memcmp(p->text + p->at, word, (size_t)p->length);
}

int cpi_expected(parser *p, const char *what)
{
    if (p->kind == END) return cpi_wrong(p, p->at, "%s is missing", what);
    if (p->kind == BREAK) return cpi_wrong(p, p->at, "%s is missing before the statement's end", what);
    return cpi_wrong(p, p->at, "%s is expected, not '%.*s',", what, p->length > 40 ? 40 : p->length, p->text + p->at);
}

int cpi_past(parser *p, const char *sign)
{
    if (!cpi_sees(p, SIGN, sign)) return cpi_expected(p, sign);
    p->parentheses += *sign == '(' ? 1 : *sign == ')' ? -1 : 0;
    return cpi_scanner_advance(p);
}
