"""Scripts that judge how a page looks."""

# Resolves when what was asked for has been drawn.
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

# Words that stand out from what lies behind them by less than 4.5 to 1 (WCAG 2 AA), with their ratio.
CONTRAST = r"""(() => {
  const parse = (color) => [...color.match(/[\d.]+/g).map(Number), 1].slice(0, 4);
  const over = (a, b) => a.slice(0, 3).map((x, i) => x * a[3] + b[i] * (1 - a[3])).concat(1);
  const page = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18, 1] : [255, 255, 255, 1];
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      layers.push(parse(getComputedStyle(e).backgroundColor));
      if (layers.at(-1)[3] === 1) break;
    }
    return layers.reduceRight((below, layer) => over(layer, below), page);
  };
  const linear = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const poor = [];
  for (const e of document.querySelectorAll("body *:not(script, style, noscript, option)")) {
    const words = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.textContent).join("").trim();
    if (!words || e instanceof SVGElement || !e.checkVisibility({ opacityProperty: true })) continue;
    const ground = behind(e);
    const [dim, bright] = [light(over(parse(getComputedStyle(e).color), ground)), light(ground)].sort((x, y) => x - y);
    const ratio = (bright + 0.05) / (dim + 0.05);
    if (ratio < 4.5) poor.push(`${words.slice(0, 30)}: ${ratio.toFixed(2)}`);
  }
  return poor;
})()"""

# Number of things to press that are lower than 36 pixels, and of buttons without a name.
SMALL = """[...document.querySelectorAll("button, select, .kf-tick")]
  .map((e) => e.getBoundingClientRect().height).filter((h) => h > 0 && h < 36).length"""
UNNAMED = """[...document.querySelectorAll("button")]
  .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim())).length"""

# Makes a page believe that there is no WebGL.
NO_WEBGL = """const get = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
  return kind.startsWith("webgl") ? null : get.call(this, kind, ...rest);
};"""
