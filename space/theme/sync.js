// The small rest that markup cannot do: runs whenever the page's content arrives. Keeps no state of its own.
(() => {
  const keepTheme = (target) => {
    const theme = new URLSearchParams(location.search).get("__theme");
    if (theme) target.searchParams.set("__theme", theme);
    return target;
  };
  const arrived = (page) => {
    const title = page.querySelector("h1");
    if (title) document.title = `${title.textContent} - Seawall`;
    if (matchMedia("(min-width: 720px)").matches) page.querySelectorAll("details.filters, details.choosing").forEach((part) => { part.open = true; });
    const address = page.dataset.address;
    if (address) {
      const canonical = keepTheme(new URL(address, location.origin));
      canonical.hash = location.hash;
      if (canonical.href !== location.href) history.replaceState(history.state, "", canonical);
      if (window.parent !== window) window.parent.postMessage({ queryString: canonical.search, hash: canonical.hash }, "https://huggingface.co");
    }
    const pages = page.querySelector(".top nav"), here = pages?.querySelector("[aria-current]");
    if (here) pages.scrollLeft += here.getBoundingClientRect().left - pages.getBoundingClientRect().left - pages.clientWidth / 3;
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  };
  const look = () => document.querySelectorAll(".seawall[data-address]:not([data-seen])").forEach((page) => {
    page.dataset.seen = "";
    arrived(page);
  });
  new MutationObserver(look).observe(document.documentElement, { childList: true, subtree: true });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".seawall a[href^='/'], .seawall a[href^='#']");
    const place = link?.getAttribute("href").startsWith("#") && document.getElementById(link.getAttribute("href").slice(1));
    if (place) {
      event.preventDefault();
      place.focus();
      place.scrollIntoView();
    } else if (link) link.setAttribute("href", keepTheme(new URL(link.getAttribute("href"), location.origin)).href);
    document.querySelectorAll(".seawall details.choice[open]").forEach((part) => { if (!part.contains(event.target)) part.open = false; });
  }, true);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") document.querySelectorAll(".seawall details.choice[open]").forEach((part) => { part.open = false; part.querySelector("summary").focus(); });
  });
  document.addEventListener("submit", (event) => {
    event.target.querySelectorAll("input, select").forEach((field) => {
      if (!field.value || (field.name === "reruns" && field.value === "latest")) field.disabled = true;
    });
  }, true);
  addEventListener("pageshow", () => document.querySelectorAll(".seawall form :disabled").forEach((field) => { field.disabled = false; }));
})();
