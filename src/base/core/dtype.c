/* The element types: names, sizes, promotion, and which casts a rule allows.
 *
 * Invariant: the order of cp_type is such that the first type upwards to which both operands can be cast
 * safely is NumPy's promotion. bfloat16, which NumPy lacks, holds bool and 8-bit integers exactly and is held
 * exactly by float32; nothing else converts to it safely. */
#include <string.h>

#include "core/array.h"

static bool known(cp_type t) { return (unsigned)t < CP_NTYPES; }

const char *cp_type_name(cp_type t) { return known(t) ? cpi_types[t].name : NULL; }
size_t cp_type_size(cp_type t) { return known(t) ? cpi_types[t].size : 0; }
char cp_type_kind(cp_type t) { return known(t) ? cpi_types[t].kind : 0; }

cp_type cp_type_from_name(const char *name)
{
    for (int t = 0; name && t < CP_NTYPES; t++)
        if (!strcmp(name, cpi_types[t].name)) return (cp_type)t;
    return CP_DEFAULT;
}

cp_type cp_promote(cp_type a, cp_type b)
{
    if (!known(a) || !known(b)) return CP_DEFAULT;
    if (a == b) return a;
    return (cp_type)__builtin_ctz(cpi_types[a].safe & cpi_types[b].safe); /* never empty: complex128 takes all */
}

/* bool, unsigned, signed, floating, complex: "same kind" allows steps upwards. */
static int kind_order(cp_type t)
{
    return cpi_is_bool(t) ? 0 : cpi_is_signed(t) ? 2 : cpi_is_int(t) ? 1 : cpi_is_float(t) ? 3 : 4;
}

bool cp_can_cast(cp_type from, cp_type to, cp_casting rule)
{
    if (!known(from) || !known(to)) return false;
    switch (rule) {
    case CP_UNSAFE: return true;
    case CP_NO_CAST:
    case CP_EQUIV: return from == to;
    case CP_SAFE: return cpi_types[from].safe >> to & 1;
    case CP_SAME_KIND: break;
    }
    return (cpi_types[from].safe >> to & 1) || kind_order(from) <= kind_order(to);
}
