/** Colors, type and space. Every pair of text and background has a contrast of at least 4.5:1 in both color schemes. */
export const tokens = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f4f6f5, #0d1214);
  --surface: light-dark(#ffffff, #141b1e);
  --raised: light-dark(#fafbfa, #192225);
  --ink: light-dark(#14201f, #e4ecea);
  --quiet: light-dark(#546361, #9db0ad);
  --line: light-dark(#dfe5e3, #263337);
  --line-strong: light-dark(#8c9a97, #5d7075);
  --accent: light-dark(#0a6b66, #5fd0c2);
  --accent-ink: light-dark(#ffffff, #06201e);
  --accent-soft: light-dark(#e0f1ee, #12312f);
  --good: light-dark(#1c6b3a, #74d49a);
  --good-soft: light-dark(#e2f3e8, #12301f);
  --warn: light-dark(#8a5300, #efb95c);
  --warn-soft: light-dark(#fcefd8, #362711);
  --bad: light-dark(#a8201f, #ff9c94);
  --bad-soft: light-dark(#fce6e4, #3a1917);
  --held: light-dark(#86c5bd, #2c6f6a);
  --shade: light-dark(#14201f33, #000000b0);
  --track: light-dark(#e6ecea, #223034);
  --s0: light-dark(#0a6b66, #5fd0c2);
  --s1: light-dark(#5b7fc7, #8fb0f0);
  --s2: light-dark(#c98a2b, #e5b566);
  --s3: light-dark(#8a5aa8, #c29be0);
  --s4: light-dark(#b5554a, #ef9a8f);
  --s5: light-dark(#98a5a2, #6f8380);
  --sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
  --radius: 8px;
}
*, *::before, *::after { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 14px/1.5 var(--sans);
  -webkit-font-smoothing: antialiased; text-size-adjust: 100%; }
h1, h2, h3, p, dl, dd, figure, ul, ol { margin: 0; padding: 0; }
h1 { overflow-wrap: anywhere; font-size: 21px; line-height: 1.25; letter-spacing: -.012em; font-weight: 640; text-wrap: balance; }
h2 { font-size: 14px; font-weight: 640; letter-spacing: -.003em; }
h3 { font-size: 13px; font-weight: 620; }
a { color: var(--accent); text-underline-offset: .32em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code, .mono { font-family: var(--mono); font-size: .92em; }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.quiet { color: var(--quiet); }
.small { font-size: 12.5px; }
.nowrap { white-space: nowrap; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (prefers-reduced-motion: no-preference) { a, button, .row-link { transition: background-color .12s, border-color .12s; } }
`;
