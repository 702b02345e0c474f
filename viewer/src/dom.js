// Small helpers to build controls.

const SVG = "http://www.w3.org/2000/svg";

/** An element; properties starting with "on" are listeners, others attributes; null and false are left out. */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((c) => c !== null && c !== undefined));
  return element;
}

/** An SVG element. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const ICONS = {
  play: "M7 4.5v15l12.5-7.5z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  back: "M5 5h2.4v14H5zM19 5v14L8.6 12z",
  forward: "M16.6 5H19v14h-2.4zM5 5l10.4 7L5 19z",
  close: "M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.6L6.4 19 5 17.6l5.6-5.6L5 6.4z",
  enlarge: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z",
  keep: "M11 4h2v8.200l2.600-2.600 1.400 1.400-5 5-5-5 1.400-1.400 2.600 2.600zM5 18h14v2H5z",
  camera: "M9 4h6l1.5 2.5H21V20H3V6.500h4.500zM12 9a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
};

export function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "kf-icon" }, svg("path", { d: ICONS[name], "fill-rule": "evenodd" }));
}

/** A button with a text or an icon; `title` is its label when it shows an icon only. */
export function button(content, title, onclick, more = {}) {
  const label = typeof content === "string" ? {} : { "aria-label": title };
  return el("button", { type: "button", title, onclick, ...label, ...more }, content);
}

/** A button that stays pressed; returns it with a method `set`. */
export function toggle(content, title, pressed, onchange) {
  const element = button(content, title, () => {
    element.set(!element.on);
    onchange(element.on);
  });
  element.set = (on) => {
    element.on = on;
    element.setAttribute("aria-pressed", String(on));
  };
  element.set(pressed);
  return element;
}

/** A labelled tick box. */
export function tick(label, checked, onchange, swatch = null) {
  const box = el("input", { type: "checkbox", onchange: () => onchange(box.checked) });
  box.checked = checked;
  const element = el("label", { class: "kf-tick" }, box, swatch && el("span", { class: "kf-swatch", style: `background:${swatch}` }), el("span", {}, label));
  element.box = box;
  return element;
}

/** A message in place of something that cannot be shown. */
export function alert(words) {
  return el("p", { class: "kf-alert", role: "alert" }, words);
}
