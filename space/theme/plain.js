// The colours of a page that Gradio does not serve: as its address or the visitor's system says.
(() => {
  const wanted = new URLSearchParams(location.search).get("__theme");
  const isDark = wanted ? wanted === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.classList.toggle("dark", isDark);
})();
