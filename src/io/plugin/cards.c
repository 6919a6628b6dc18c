/* One card of a FITS header: 80 characters, a keyword of at most 8, "= ", a value, a comment.
 *
 * Invariant: nothing here reads past a card's 80 characters. */
#include "plugin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cpi_card_value(const char *text, const char *key)
{
    size_t n = strlen(key);
    if (n > 8 || memcmp(text, key, n)) return NULL;
    for (size_t i = n; i < 8; i++)
        if (text[i] != ' ') return NULL;
    return text[8] == '=' ? text + 9 : NULL;
}

void cpi_card_string(const char *value, const char *card, char *to, size_t bytes)
{
    const char *end = card + CPI_CARD;
    size_t n = 0;
    while (value < end && *value == ' ') value++;
    if (value < end && *value++ == '\'')
        for (; value < end && n + 1 < bytes; value++) {
            if (*value == '\'' && (++value >= end || *value != '\'')) break;
            to[n++] = *value >= ' ' && *value <= '~' ? *value : ' ';
        }
    while (n && to[n - 1] == ' ') n--;
    to[n] = 0;
}

/* The value as text that ends at a blank or a comment. */
static void token(const char *value, const char *card, char to[CPI_CARD])
{
    const char *end = card + CPI_CARD;
    int n = 0;
    while (value < end && *value == ' ') value++;
    while (value < end && *value != ' ' && *value != '/') to[n++] = *value++;
    to[n] = 0;
}

bool cpi_card_integer(const char *value, const char *card, int64_t *result)
{
    char text[CPI_CARD], *end;
    token(value, card, text);
    if (strlen(text) > 20) return false;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end || v == INT64_MAX || v == INT64_MIN) return false;
    *result = v;
    return true;
}

bool cpi_card_real(const char *value, const char *card, double *result)
{
    char text[CPI_CARD], *end;
    token(value, card, text);
    for (char *c = text; *c; c++)
        if (*c == 'D' || *c == 'd') *c = 'E';
    if (text[strspn(text, "0123456789+-.Ee")]) return false; /* strtod takes "nan", "inf" and hexadecimal numbers too */
    double v = strtod(text, &end);
    if (end == text || *end || !isfinite(v)) return false;
    *result = v;
    return true;
}

bool cpi_card_true(const char *value, const char *card)
{
    char text[CPI_CARD];
    token(value, card, text);
    return !strcmp(text, "T");
}

int cpi_card_number(const char *card, const char *prefix)
{
    size_t n = strlen(prefix);
    if (memcmp(card, prefix, n) || card[8] != '=' || card[n] < '1' || card[n] > '9') return 0;
    int v = 0;
    size_t i = n;
    for (; i < 8 && card[i] >= '0' && card[i] <= '9'; i++) v = v * 10 + (card[i] - '0');
    for (; i < 8; i++)
        if (card[i] != ' ') return 0;
    return v <= CP_MAXDIM ? v : 0;
}

static bool number_text(const char *text)
{
    char *end;
    for (const char *c = text; *c; c++)
        if (!strchr("0123456789+-.E", *c)) return false;
    return *text && strlen(text) <= 40 && isfinite(strtod(text, &end)) && !*end;
}

/* A string that ends inside the card, quotes doubled, without trailing blanks. */
static bool clean_string(const char *value, const char *card, char *to)
{
    const char *end = card + CPI_CARD;
    int n = 0;
    for (value++; value < end; value++) {
        if (*value == '\'') {
            if (value + 1 >= end || value[1] != '\'') break;
            to[n++] = *value++;
        }
        to[n++] = *value;
    }
    if (value >= end || n > 66) return false;
    while (n && to[n - 1] == ' ') n--;
    to[n] = 0;
    return true;
}

bool cpi_card_clean(const char *card, char *to)
{
    char key[9] = {0}, text[CPI_CARD + 2], out[2 * CPI_CARD];
    int n = 0;
    while (n < 8 && card[n] && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", card[n])) key[n] = card[n], n++;
    for (int i = n; i < 8; i++)
        if (card[i] != ' ') return false;
    if (!n || card[8] != '=' || card[9] != ' ') return false;
    const char *value = card + 9, *end = card + CPI_CARD;
    while (value < end && *value == ' ') value++;
    if (value == end) return false;
    int length;
    if (*value == '\'') {
        if (!clean_string(value, card, text)) return false;
        length = snprintf(out, sizeof out, "%-8s= '%-8s'", key, text);
    } else {
        token(value, card, text);
        for (char *c = text; *c; c++)
            if (*c == 'D' || *c == 'd' || *c == 'e') *c = 'E';
        if (strcmp(text, "T") && strcmp(text, "F") && !number_text(text)) return false;
        length = snprintf(out, sizeof out, "%-8s= %20s", key, text);
    }
    if (length > CPI_CARD) return false;
    memset(to, ' ', CPI_CARD);
    memcpy(to, out, (size_t)length);
    return true;
}
