/* Search in the site's pages, without a server: SEARCH (search_index.js) has [title, address, text] of every section.
 * Titles that begin with the words come first, then titles that hold them, then texts. */
(function () {
  "use strict";
  const place = document.querySelector(".wy-side-nav-search");
  if (!place) return;
  const box = document.createElement("input");
  box.type = "search";
  box.placeholder = "Search";
  box.setAttribute("aria-label", "Search");
  const list = document.createElement("ul");
  list.style.cssText = "text-align: left; max-height: 60vh; overflow: auto; list-style: none; padding: 0; margin: 4px";
  place.append(box, list);

  function rank(entry, words) {
    const title = entry[0].toLowerCase(), text = entry[2].toLowerCase();
    if (!words.every((w) => title.includes(w) || text.includes(w))) return -1;
    if (title === words.join(" ")) return 4;
    return title.startsWith(words[0]) ? 3 : words.some((w) => title.includes(w)) ? 2 : 1;
  }

  box.addEventListener("input", function () {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.replaceChildren();
    if (!words.length) return;
    const found = SEARCH.map((e) => [rank(e, words), e]).filter((f) => f[0] > 0);
    found.sort((a, b) => b[0] - a[0] || a[1][0].length - b[1][0].length);
    for (const [, entry] of found.slice(0, 30)) {
      const link = document.createElement("a");
      link.href = base_url.replace(/\/$/, "") + "/" + entry[1];
      link.textContent = entry[0];
      link.title = entry[2];
      const item = document.createElement("li");
      item.append(link);
      list.append(item);
    }
  });
})();
