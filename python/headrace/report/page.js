"use strict";
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const configuration = {
    responsive: true,
    displayModeBar: false,
  };
  const printed_width = 640;

  // The value with each "var(--name)" in it replaced by what the style sheet says now.
  function coloured(value, style) {
    if (Array.isArray(value)) return value.map((item) => coloured(item, style));
    if (value !== null && typeof value === "object") {
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, coloured(item, style)]));
    }
    const found = typeof value === "string" && /^var\((--[a-z-]+)\)$/.exec(value);
    return found ? style.getPropertyValue(found[1]).trim() : value;
  }

  function draw(width) {
    const style = getComputedStyle(document.documentElement);
    for (const [name, figure] of Object.entries(figures)) {
      const { data, layout } = coloured(figure, style);
      if (width) Object.assign(layout, { width, autosize: false });
      Plotly.react(`chart-${name}`, data, layout, configuration);
    }
  }

  function draw_for_print(is_printed) {
    document.documentElement.classList.toggle("printed", is_printed);
    draw(is_printed ? printed_width : undefined);
  }

  function tab_separated(table) {
    const rows = [...table.rows].map((row) => [...row.cells].map(
      (cell) => cell.dataset.value ?? cell.textContent.trim().replace(/\s+/g, " ")));
    return rows.map((row) => row.join("\t")).join("\n") + "\n";
  }

  // For pages served without TLS, where browsers have no navigator.clipboard.
  function copy_by_selection(text) {
    const area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    document.body.append(area);
    area.select();
    const is_copied = document.execCommand("copy");
    area.remove();
    return is_copied;
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return copy_by_selection(text);
    }
  }

  async function answer(event) {
    const { table, text } = event.currentTarget.dataset;
    const copied = await copy(
      table ? tab_separated(document.getElementById(table)) : document.getElementById(text).textContent);
    const status = document.querySelector(".status");
    status.textContent = copied ? "Copied" : "This browser does not let the page copy";
    setTimeout(() => { status.textContent = ""; }, 2000);
  }

  for (const button of document.querySelectorAll("button.copy")) {
    button.addEventListener("click", answer);
  }
  dark.addEventListener("change", () => draw());
  window.addEventListener("beforeprint", () => draw_for_print(true));
  window.addEventListener("afterprint", () => draw_for_print(false));
  draw();
})();
