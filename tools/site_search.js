/* Search in the site's pages, without a server: SEARCH (search_index.js) has [title, address, text] of every section,
 * the first one of a page with its title. Titles that are the words come first, then those that begin with them, then
 * titles that hold them, then texts. "/" goes to the box, Enter opens the first hit, arrows go through the hits. */
(function () {
  "use strict";
  const place = document.querySelector(".wy-side-nav-search");
  if (!place) return;
  const box = document.createElement("input");
  box.type = "search";
  box.placeholder = "Search";
  box.autocomplete = "off";
  box.setAttribute("aria-label", "Search");
  const list = document.createElement("ul");
  list.className = "search-hits";
  list.setAttribute("aria-live", "polite");
  place.append(box, list);

  const pages = new Map(); // file -> title of the page
  for (const [title, address] of SEARCH) {
    const file = address.split("#")[0];
    if (!pages.has(file)) pages.set(file, title);
  }

  function rank(entry, words) {
    const title = entry[0].toLowerCase(), text = entry[2].toLowerCase();
    if (!words.every((w) => title.includes(w) || text.includes(w))) return -1;
    if (title === words.join(" ")) return 4;
    return title.startsWith(words[0]) ? 3 : words.some((w) => title.includes(w)) ? 2 : 1;
  }

  function hit(entry) {
    const link = document.createElement("a"), title = document.createElement("b"), where = document.createElement("small");
    link.href = base_url.replace(/\/$/, "") + "/" + entry[1];
    title.textContent = entry[0];
    const page = pages.get(entry[1].split("#")[0]);
    where.textContent = (page === entry[0] ? "" : page + ": ") + entry[2].slice(0, 80);
    link.append(title, where);
    const item = document.createElement("li");
    item.append(link);
    return item;
  }

  function search() {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.replaceChildren();
    if (!words.length) return;
    const found = SEARCH.map((e) => [rank(e, words), e]).filter((f) => f[0] > 0);
    found.sort((a, b) => b[0] - a[0] || a[1][0].length - b[1][0].length);
    list.append(...found.slice(0, 30).map((f) => hit(f[1])));
    if (!found.length) list.append("Nothing has all of these words.");
  }

  function go(to) { (to || box).focus(); }

  box.addEventListener("input", search);
  place.addEventListener("keydown", function (event) {
    const links = [...list.querySelectorAll("a")], at = links.indexOf(document.activeElement);
    if (event.key === "Enter" && at < 0 && links.length) links[0].click();
    else if (event.key === "ArrowDown") go(links[at + 1] || links[at]);
    else if (event.key === "ArrowUp") go(links[at - 1]);
    else if (event.key === "Escape") { box.value = ""; search(); go(box); }
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", function (event) {
    if (event.key !== "/" || /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    go(box);
  });
})();
