"""C++ templates for cuprite.jit.thrust: algorithms over ranges that one thread runs by itself, on pointers and on the two
iterators that are made. Written for any iterator with +, [] and -."""

ITERATORS = """template <class T> struct seq_constant {
    T value; long long at;
    __device__ T operator[](long long) const { return value; }
    __device__ seq_constant operator+(long long n) const { return {value, at + n}; }
    __device__ long long operator-(seq_constant o) const { return at - o.at; }
};
template <class T> struct seq_counting {
    T value;
    __device__ T operator[](long long i) const { return (T)(value + i); }
    __device__ seq_counting operator+(long long n) const { return {(T)(value + n)}; }
    __device__ long long operator-(seq_counting o) const { return (long long)(value - o.value); }
};
template <class A, class B> struct seq_pair { A v0; B v1; };
template <class T> static __device__ inline void seq_swap(T &a, T &b) { T c = a; a = b; b = c; }
"""
F = "static __device__ inline "
_BODIES = {
    "adjacent_difference": "template <class I, class O> O {N}(I a, I b, O o) {{ long long n = b - a; if (!n) return o; auto before = "
                           "a[0]; o[0] = before;\n    for (long long i = 1; i < n; i++) {{ auto x = a[i]; o[i] = x - before; "
                           "before = x; }}\n    return o + n; }}",
    "copy": "template <class I, class O> O {N}(I a, I b, O o) {{ long long n = b - a;\n    for (long long i = 0; i < n; "
            "i++) o[i] = a[i];\n    return o + n; }}",
    "count": "template <class I, class T> long long {N}(I a, I b, T v) {{ long long n = b - a, c = 0;\n    for (long long i = 0; i < n; "
             "i++) c += a[i] == v;\n    return c; }}",
    "equal": "template <class I, class J> bool {N}(I a, I b, J c) {{ long long n = b - a;\n    for (long long i = 0; i < n; i++)"
             "\n        if (!(a[i] == c[i])) return false;\n    return true; }}",
    "exclusive_scan": "template <class I, class O, class T> O {N}(I a, I b, O o, T sum) {{ long long n = b - a;\n    for (long long i = 0; "
                      "i < n; i++) {{ T x = a[i]; o[i] = sum; sum = sum + x; }}\n    return o + n; }}",
    "inclusive_scan": "template <class I, class O> O {N}(I a, I b, O o) {{ long long n = b - a; if (!n) return o; auto sum = a[0]; o[0] = sum;"
                      "\n    for (long long i = 1; i < n; i++) {{ sum = sum + a[i]; o[i] = sum; }}\n    return o + n; }}",
    "exclusive_scan_by_key": "template <class K, class I, class O, class T> O {N}(K a, K b, I v, O o, T first) {{ long long n = b - a; T sum "
                             "= first;\n    for (long long i = 0; i < n; i++) {{ if (i && !(a[i] == a[i - 1])) sum = first; T x = v[i]; "
                             "o[i] = sum; sum = sum + x; }}\n    return o + n; }}",
    "inclusive_scan_by_key": "template <class K, class I, class O> O {N}(K a, K b, I v, O o) {{ long long n = b - a; if (!n) return o; auto "
                             "sum = v[0]; o[0] = sum;\n    for (long long i = 1; i < n; i++) {{ auto x = v[i]; if (a[i] == a[i - 1]) "
                             "sum = sum + x; else sum = x; o[i] = sum; }}\n    return o + n; }}",
    "fill": "template <class I, class T> void {N}(I a, I b, T v) {{ long long n = b - a;\n    for (long long i = 0; i < n; i++) a[i] "
            "= v; }}",
    "find": "template <class I, class T> I {N}(I a, I b, T v) {{ long long n = b - a, i = 0;\n    while (i < n && !(a[i] == v)) i++;\n    "
            "return a + i; }}",
    "gather": "template <class M, class I, class O> O {N}(M a, M b, I x, O o) {{ long long n = b - a;\n    for (long long i = 0; i < n; i++) "
              "o[i] = x[a[i]];\n    return o + n; }}",
    "inner_product": "template <class I, class J, class T> T {N}(I a, I b, J c, T sum) {{ long long n = b - a;\n    for (long long i = 0; i < "
                     "n; i++) sum = sum + a[i] * c[i];\n    return sum; }}",
    "is_sorted_until": "template <class I> I {N}(I a, I b) {{ long long n = b - a, i = 1;\n    while (i < n && !(a[i] < a[i - 1])) i++;\n    "
                       "return n < 1 ? b : a + i; }}",
    "is_sorted": "template <class I> bool {N}(I a, I b) {{ long long n = b - a;\n    for (long long i = 1; i < n; i++)\n        if (a[i] < "
                 "a[i - 1]) return false;\n    return true; }}",
    "lower_bound": "template <class I, class T> I {N}(I a, I b, T v) {{ long long n = b - a;\n    while (n > 0) {{ long long h = n / 2; "
                   "if (a[h] < v) {{ a = a + (h + 1); n -= h + 1; }} else n = h; }}\n    return a; }}",
    "upper_bound": "template <class I, class T> I {N}(I a, I b, T v) {{ long long n = b - a;\n    while (n > 0) {{ long long h = n / 2; "
                   "if (!(v < a[h])) {{ a = a + (h + 1); n -= h + 1; }} else n = h; }}\n    return a; }}",
    "mismatch": "template <class I, class J> seq_pair<I, J> {N}(I a, I b, J c) {{ long long n = b - a, i = 0;\n    while (i < n && a[i] == "
                "c[i]) i++;\n    return {{a + i, c + i}}; }}",
    "reduce": "template <class I, class T> T {N}(I a, I b, T sum) {{ long long n = b - a;\n    for (long long i = 0; i < n; i++) sum = sum + "
              "a[i];\n    return sum; }}",
    "reduce_by_key": "template <class K, class I, class O, class P> seq_pair<O, P> {N}(K a, K b, I v, O k, P o) {{ long long n = b - a, m = "
                     "0;\n    for (long long i = 0; i < n; i++) {{ if (i && a[i] == a[i - 1]) o[m - 1] = o[m - 1] + v[i]; else {{ k[m] = "
                     "a[i]; o[m] = v[i]; m++; }} }}\n    return {{k + m, o + m}}; }}",
    "remove_copy": "template <class I, class O, class T> O {N}(I a, I b, O o, T v) {{ long long n = b - a, m = 0;\n    for (long long i = 0; i "
                   "< n; i++) {{ auto x = a[i]; if (!(x == v)) o[m++] = x; }}\n    return o + m; }}",
    "replace_copy": "template <class I, class O, class T> O {N}(I a, I b, O o, T old, T v) {{ long long n = b - a;\n    for (long long i = 0; "
                    "i < n; i++) {{ auto x = a[i]; o[i] = x == old ? v : x; }}\n    return o + n; }}",
    "reverse": "template <class I> void {N}(I a, I b) {{ long long n = b - a;\n    for (long long i = 0; i < n / 2; i++) seq_swap(a[i], a[n - "
               "1 - i]); }}",
    "reverse_copy": "template <class I, class O> O {N}(I a, I b, O o) {{ long long n = b - a;\n    for (long long i = 0; i < n; i++) o[i] = "
                    "a[n - 1 - i];\n    return o + n; }}",
    "scatter": "template <class I, class M, class O> void {N}(I a, I b, M m, O o) {{ long long n = b - a;\n    for (long long i = 0; i < n; "
               "i++) o[m[i]] = a[i]; }}",
    "sequence": "template <class I, class T> void {N}(I a, I b, T v, T step) {{ long long n = b - a;\n    for (long long i = 0; i < n; i++) "
                "a[i] = v + (T)i * step; }}",
    "swap_ranges": "template <class I, class J> J {N}(I a, I b, J c) {{ long long n = b - a;\n    for (long long i = 0; i < n; i++) "
                   "seq_swap(a[i], c[i]);\n    return c + n; }}",
    "unique": "template <class I> I {N}(I a, I b) {{ long long n = b - a, m = 0;\n    for (long long i = 0; i < n; i++)\n        if (!i || "
              "!(a[m - 1] == a[i])) a[m++] = a[i];\n    return a + m; }}",
    "unique_by_key": "template <class I, class J> seq_pair<I, J> {N}(I a, I b, J v) {{ long long n = b - a, m = 0;\n    for (long long i = 0; "
                     "i < n; i++)\n        if (!i || !(a[m - 1] == a[i])) {{ a[m] = a[i]; v[m++] = v[i]; }}\n    return {{a + m, v + m}}; }}",
    # a heap: no memory, no recursion
    "sort_by_key": "template <class I, class J> void {N}(I a, I b, J v) {{\n    long long n = b - a;\n    for (long long end = n, root = n / 2; "
                   "end > 1;) {{\n        if (root > 0) root--;\n        else {{ end--; seq_swap(a[0], a[end]); seq_swap(v[0], "
                   "v[end]); }}\n        for (long long i = root, c; (c = 2 * i + 1) < end; i = c) {{\n            if (c + 1 < end && "
                   "a[c] < a[c + 1]) c++;\n            if (!(a[i] < a[c])) break;\n            seq_swap(a[i], a[c]); seq_swap(v[i], v[c]);\n"
                   "        }}\n    }}\n}}",
    "sort": "template <class I> void {N}(I a, I b) {{\n    long long n = b - a;\n    for (long long end = n, root = n / 2; end > 1;) {{\n"
            "        if (root > 0) root--;\n        else {{ end--; seq_swap(a[0], a[end]); }}\n        for (long long i = root, c; (c = 2 "
            "* i + 1) < end; i = c) {{\n            if (c + 1 < end && a[c] < a[c + 1]) c++;\n            if (!(a[i] < a[c])) break;\n"
            "            seq_swap(a[i], a[c]);\n        }}\n    }}\n}}",
    "stable_sort": "template <class I> void {N}(I a, I b) {{ long long n = b - a;\n    for (long long i = 1; i < n; i++) {{ auto x = a[i]; "
                   "long long j = i; for (; j > 0 && x < a[j - 1]; j--) a[j] = a[j - 1]; a[j] = x; }} }}",
    "stable_sort_by_key": "template <class I, class J> void {N}(I a, I b, J v) {{ long long n = b - a;\n    for (long long i = 1; i < n; i++) "
                          "{{ auto x = a[i]; auto y = v[i]; long long j = i;\n        for (; j > 0 && x < a[j - 1]; j--) {{ a[j] = a[j - 1]; "
                          "v[j] = v[j - 1]; }}\n        a[j] = x; v[j] = y; }} }}",
}


def _set(name, both, only_first, only_second):
    """A set operation over two sorted ranges, with values or without."""
    def body(by_key):
        types = "class I, class J, class O" + (", class V, class W, class P" if by_key else "")
        values = ", V v, W w, P p" if by_key else ""
        out = "seq_pair<O, P>" if by_key else "O"

        def take(which, source, value):
            if not which:
                return ""
            return f"o[m] = {source}; " + (f"p[m] = {value}; " if by_key else "") + "m++; "
        return (f"template <{types}> {out} {{N}}(I a, I b, J c, J d, O o{values}) {{{{\n    long long n = b - a, k = d - c, i = 0, j = 0, m "
                f"= 0;\n    while (i < n && j < k) {{{{\n        if (a[i] < c[j]) {{{{ {take(only_first, 'a[i]', 'v[i]')}i++; }}}}\n"
                f"        else if (c[j] < a[i]) {{{{ {take(only_second, 'c[j]', 'w[j]')}j++; }}}}\n        else {{{{ "
                f"{take(both, 'a[i]', 'v[i]')}i++; j++; }}}}\n    }}}}\n"
                + (f"    for (; i < n; i++) {{{{ {take(True, 'a[i]', 'v[i]')}}}}}\n" if only_first else "")
                + (f"    for (; j < k; j++) {{{{ {take(True, 'c[j]', 'w[j]')}}}}}\n" if only_second else "")
                + f"    return {'{{o + m, p + m}}' if by_key else 'o + m'}; }}}}")
    _BODIES[f"set_{name}"], _BODIES[f"set_{name}_by_key"] = body(False), body(True)


_set("difference", False, True, False)
_set("intersection", True, False, False)
_set("symmetric_difference", False, True, True)
_set("union", True, True, True)

HELPERS = {"#iterators": ITERATORS}
for _name, _body in _BODIES.items():
    _head, _, _rest = _body.partition("> ")
    HELPERS[f"seq_{_name}"] = f"{_head}> {F}{_rest}\n".format(N=f"seq_{_name}")
