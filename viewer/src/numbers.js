// Numbers for people: round steps, ticks and texts.

const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** The number of the form 1, 2 or 5 times a power of ten nearest to x > 0 (by ratio). */
export function roundNumber(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  return (lead < 1.415 ? 1 : lead < 3.163 ? 2 : lead < 7.08 ? 5 : 10) * power;
}

/** Round values between low and high, about `count` of them, and the step between them. */
export function ticks(low, high, count) {
  const step = roundNumber((high - low) / Math.max(count, 1));
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push(i * step);
  return { step, values: found };
}

/** Text of a value with so many significant digits. */
export function text(value, digits = 5) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return powers(value.toExponential(digits - 1));
  const written = value.toPrecision(digits);
  return tidy(written.includes("e") ? String(Number(written)) : written);
}

/** Text of a tick, with the decimals that its step needs. */
export function tickText(value, step) {
  const size = Math.max(Math.abs(value), step);
  if (Math.abs(value) < step * 1e-6) return "0";
  if (size >= 1e5 || step < 1e-4) {
    const digits = Math.max(0, Math.round(Math.floor(Math.log10(size) + 1e-9) - Math.floor(Math.log10(step) + 1e-9)));
    return powers(value.toExponential(Math.min(digits, 12)));
  }
  return minus(value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9))));
}

/** Decimals that show a two-thousandth of a duration. */
export function decimalsFor(duration) {
  return Math.min(9, Math.max(0, Math.ceil(-Math.log10(Math.max(duration, 1e-9) / 2000))));
}

const minus = (s) => s.replace("-", "−");
/** Without zeros at the end that say nothing. */
export const tidy = (s) => minus(s.includes(".") ? s.replace(/\.?0+$/, "") : s);

function powers(s) {
  const [lead, power] = s.split("e");
  const exponent = [...String(Number(power))].map((c) => SUPERSCRIPT[c]).join("");
  return `${tidy(lead)}·10${exponent}`;
}
