"use strict";
// Numbers and axes: lists are unpacked, and scales say where on an axis a number is.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const GAP = 2 ** 12 - 1;

// unpack returns a list of numbers as they were before pack.go wrote them; NaN are gaps.
function unpack(list) {
  if (!list) return null;
  if (Array.isArray(list)) return list.map(x => (x === null ? NaN : x));
  const out = [];
  for (let i = 0; i < list.d.length; i += 2) {
    const k = 64 * ALPHABET.indexOf(list.d[i]) + ALPHABET.indexOf(list.d[i + 1]);
    const share = k / (GAP - 1), x = list.lo * (1 - share) + list.hi * share;
    out.push(k === GAP ? NaN : list.log ? 10 ** x : x);
  }
  return out;
}

// minus writes a number with a minus sign that is none of the keyboard's.
const minus = text => String(text).replace(/-/g, "−");

// raised writes a whole number in raised digits.
const raised = n => String(n).replace(/./g, c => "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"["0123456789-".indexOf(c)]);

// brief writes a number with so many significant digits.
function brief(x, digits = 4) {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) {
    const [m, e] = x.toExponential(digits - 1).split("e");
    return minus(m.replace(/\.?0+$/, "")) + "·10" + raised(+e);
  }
  return minus(+x.toPrecision(digits));
}

// scaleOf returns a scale that shows numbers, from one pixel to another.
function scaleOf(values, {log = false, zero = false, from = 0, to = 1, room = 0}) {
  const on = log ? Math.log10 : x => x;
  let lo = Infinity, hi = -Infinity;
  for (const v of values) {
    const x = on(v);
    if (Number.isFinite(x)) { lo = Math.min(lo, x); hi = Math.max(hi, x); }
  }
  if (zero && !log) { lo = Math.min(lo, 0); hi = Math.max(hi, 0); }
  if (lo > hi) { lo = 0; hi = 1; }
  if (hi - lo <= 1e-12 * Math.max(Math.abs(lo), Math.abs(hi))) {
    const half = !log && lo !== 0 ? Math.abs(lo) / 10 : 0.5;
    lo -= half;
    hi += half;
  }
  const wide = hi - lo;
  if (!(zero && lo === 0)) lo -= room * wide;
  hi += room * wide;
  const place = x => from + (to - from) * (x - lo) / (hi - lo);
  return {
    log, lo, hi, from, to,
    at: v => place(on(v)),                                   // NaN where it cannot be shown
    edge: v => place(Math.min(hi, Math.max(lo, Number.isFinite(on(v)) ? on(v) : lo))),
    back: pixel => { const x = lo + (hi - lo) * (pixel - from) / (to - from); return log ? 10 ** x : x; },
  };
}

// stepOf returns the least of 1, 2, 2.5 and 5 times a power of ten that is not below a length.
function stepOf(least) {
  const ten = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 2.5, 5].find(m => m * ten >= least * (1 - 1e-9)) ?? 10) * ten;
}

// ticksOf returns the ticks of a scale, about n of them: [value, label]. Between whole numbers
// there are none.
function ticksOf(s, n, whole = false) {
  if (s.log) return decadesOf(s, n);
  const list = [], least = stepOf((s.hi - s.lo) / Math.max(1, n));
  const step = whole && least < 5 ? Math.ceil(least) : least;
  const size = Math.max(Math.abs(s.lo), Math.abs(s.hi));
  const power = size >= 1e4 || size < 1e-2 ? Math.floor(Math.log10(size) / 3) * 3 : 0;
  const unit = {0: "", 3: " k", 6: " M", 9: " G", 12: " T"}[power] ?? "·10" + raised(power);
  for (let k = Math.ceil(s.lo / step - 1e-9); k * step <= s.hi + 1e-9 * step; k++) {
    const text = minus(+(k * step / 10 ** power).toPrecision(10));
    list.push([k * step, text === "0" ? text : text + unit]);
  }
  return list;
}

// decadesOf returns the ticks of a logarithmic scale: powers of ten, and numbers between them
// where there are fewer than two.
function decadesOf(s, n) {
  const first = Math.ceil(s.lo - 1e-9), last = Math.floor(s.hi + 1e-9), list = [];
  if (last - first < 1) {
    for (let e = Math.floor(s.lo); e <= last; e++) {
      for (let m = 1; m < 10; m++) {
        const v = e + Math.log10(m);
        if (v >= s.lo && v <= s.hi && (s.hi - s.lo < 0.5 || [1, 2, 5].includes(m))) {
          list.push([m * 10 ** e, brief(m * 10 ** e, 3)]);
        }
      }
    }
    if (list.length > 1) return list;
    const [lo, hi] = [10 ** s.lo, 10 ** s.hi];
    return ticksOf({lo, hi}, n).filter(([v]) => v > 0);
  }
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, n)));
  for (let e = first; e <= last; e += every) {
    list.push([10 ** e, first >= -3 && last <= 3 ? minus(+(10 ** e).toPrecision(3)) : "10" + raised(e)]);
  }
  return list;
}
