export const parts = `
.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); min-width: 0; }
.card > header { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 4px 14px; padding: 12px 16px 10px; }
.card > header p { color: var(--quiet); font-size: 12.5px; }
.card > .body { padding: 4px 16px 16px; overflow-wrap: anywhere; }
.card > header + .scroll { border-top: 1px solid var(--line); }
.card > .body:first-child { padding-top: 16px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 160px), 1fr)); gap: 1px; background: var(--line); border: 1px solid var(--line); border-radius: var(--radius); overflow: hidden; }
.tile { container-type: inline-size; background: var(--surface); padding: 13px 16px 14px; display: grid; gap: 3px; align-content: start; }
.tile dt { color: var(--quiet); font-size: 12.5px; }
.tile dd { font-size: clamp(14px, 9.5cqi, 22px); font-weight: 620; letter-spacing: -.02em; line-height: 1.2; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.tile dd.note { font-size: 12.5px; font-weight: 400; letter-spacing: 0; color: var(--quiet); line-height: 1.45; }
.scroll { overflow-x: auto; position: relative; }
table { width: 100%; border-collapse: collapse; font-size: 13px; }
th { text-align: left; font-weight: 580; font-size: 12px; color: var(--quiet); padding: 8px 12px; border-bottom: 1px solid var(--line); background: var(--raised); }
th a { color: inherit; text-decoration: none; }
th a:hover { color: var(--ink); text-decoration: underline; }
th[aria-sort] a { color: var(--accent); }
th[aria-sort=ascending] a::after { content: " ▲" / ""; }
th[aria-sort=descending] a::after { content: " ▼" / ""; }
td { padding: 8px 12px; border-bottom: 1px solid var(--line); vertical-align: middle; overflow-wrap: anywhere; }
td[class=""] { min-width: 76px; }
tr:last-child > td { border-bottom: 0; }
tbody tr:hover > td { background: var(--raised); }
th:first-child, td:first-child { padding-left: 16px; }
th:last-child, td:last-child { padding-right: 16px; }
th.end, td.end { text-align: right; }
th.number, th.nowrap { white-space: normal; }
td .sub { display: block; color: var(--quiet); font-size: 12px; }
td:first-child { min-width: 176px; }
td.number > div { white-space: nowrap; }
td.wide { width: 220px; min-width: 140px; }
td .sub { white-space: normal; }
td .id { display: block; max-width: 158px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
td.brief { min-width: 146px; }
td.brief:first-child { min-width: 214px; }
td.act { text-align: right; }
td.act .inline { justify-content: flex-end; }
.steps { display: grid; gap: 8px; padding-left: 20px; }
td .inline { flex-wrap: nowrap; }
.badge { display: inline-flex; align-items: center; gap: 5px; padding: 1px 8px; border-radius: 99px; font-size: 12px; font-weight: 560; background: var(--track); color: var(--ink); white-space: nowrap; }
.badge.good { background: var(--good-soft); color: var(--good); }
.badge.warn { background: var(--warn-soft); color: var(--warn); }
.badge.bad { background: var(--bad-soft); color: var(--bad); }
.badge.accent { background: var(--accent-soft); color: var(--accent); }
.button, button { font: 560 13px/1.3 var(--sans); display: inline-flex; align-items: center; justify-content: center; gap: 6px; min-height: 32px; padding: 5px 13px; border-radius: 6px; border: 1px solid var(--line-strong); background: var(--surface); color: var(--ink); text-decoration: none; cursor: pointer; white-space: nowrap; }
.button:hover, button:hover { background: var(--raised); border-color: var(--ink); }
.button.primary, button.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
.button.primary:hover, button.primary:hover { filter: brightness(1.08); }
button.danger, .button.danger { color: var(--bad); border-color: var(--bad); }
button.danger:hover { background: var(--bad-soft); }
button.solid { background: var(--bad); border-color: var(--bad); color: var(--surface); }
button.solid:hover { background: var(--bad); filter: brightness(1.1); }
.ask { position: fixed; inset: 0; margin: auto; width: min(92vw, 400px); height: fit-content; padding: 20px; color: var(--ink); background: var(--surface); border: 1px solid var(--line-strong); border-radius: var(--radius); white-space: normal; text-align: left; overflow-wrap: anywhere; }
.ask:not(:popover-open) { display: none; }
.ask::backdrop { background: rgb(0 0 0 / .45); }
.tags { list-style: none; display: flex; flex-wrap: wrap; gap: 4px; }
.tags li { font: 12px/1.5 var(--mono); background: var(--track); border-radius: 4px; padding: 0 6px; }
.small-button, button.small-button { min-height: 26px; padding: 2px 9px; font-size: 12.5px; }
button.link { border: 0; background: none; padding: 0; min-height: 0; color: var(--accent); text-decoration: underline; text-underline-offset: 2px; }
.form, .form fieldset { display: grid; grid-template-columns: 1fr 1fr; gap: 14px; max-width: 600px; }
.form > *, .form h2, .field, .form fieldset { grid-column: 1 / -1; }
.form .field.half { grid-column: auto; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
.field { display: grid; gap: 4px; min-width: 0; align-content: start; }
.checks { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 5px 12px; }
.field .checks label { display: flex; gap: 7px; align-items: center; font: 12.5px var(--mono); }
.field.flag { grid-template-columns: auto 1fr; column-gap: 9px; align-items: center; }
.field.flag .hint, .field.flag .error { grid-column: 2; }
:disabled { opacity: .65; cursor: not-allowed; }
fieldset:disabled { opacity: 1; }
.field label, .field legend, fieldset legend { font-weight: 580; font-size: 13px; }
.field .hint { color: var(--quiet); font-size: 12.5px; }
.field .error { color: var(--bad); font-size: 12.5px; font-weight: 540; }
input, select, textarea { font: 400 14px/1.4 var(--sans); width: 100%; min-height: 34px; padding: 5px 10px; color: var(--ink); background: var(--surface); border: 1px solid var(--line-strong); border-radius: 6px; }
textarea { font-family: var(--mono); font-size: 13px; min-height: 84px; resize: vertical; }
input[type=checkbox] { width: 16px; height: 16px; min-height: 0; accent-color: var(--accent); margin: 0; }
[aria-invalid=true] { border-color: var(--bad); box-shadow: 0 0 0 1px var(--bad); }
.filters { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 130px), 1fr)); gap: 10px; align-items: end; padding: 12px 16px; border-bottom: 1px solid var(--line); }
.filters > button { justify-self: start; }
.filters details { grid-column: 1 / -1; }
.filters details > div { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 130px), 1fr)); gap: 10px; align-items: end; padding-top: 8px; }
.filters label { font-size: 12px; color: var(--quiet); font-weight: 560; display: block; margin-bottom: 3px; }
.filters input, .filters select { font-size: 13px; min-height: 32px; padding: 3px 8px; }
.filters .error { display: block; color: var(--bad); font-size: 12.5px; font-weight: 540; margin-top: 3px; }
.notice { overflow-wrap: anywhere; border-radius: var(--radius); padding: 10px 14px; border: 1px solid var(--good); background: var(--good-soft); }
.notice.bad { border-color: var(--bad); background: var(--bad-soft); }
.notice.warn { border-color: var(--warn); background: var(--warn-soft); }
.notice ul { margin: 4px 0 0 18px; }
.secret { display: grid; gap: 8px; }
.secret code { display: block; padding: 12px 14px; background: var(--raised); border: 1px dashed var(--line-strong); border-radius: 6px; overflow-wrap: anywhere; user-select: all; font-size: 13px; }
.empty { padding: 30px 20px 34px; display: grid; justify-items: center; text-align: center; gap: 8px; }
.empty svg { width: 34px; height: 34px; color: var(--accent); opacity: .75; }
.empty p { color: var(--quiet); max-width: 52ch; }
.empty pre { text-align: left; max-width: 100%; }
pre { margin: 0; font: 12.5px/1.55 var(--mono); background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: 12px 14px; overflow-x: auto; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 6px 18px; font-size: 13px; }
.facts dt { color: var(--quiet); }
.facts dd { overflow-wrap: anywhere; }
.facts .meter { max-width: 280px; margin-top: 5px; }
.form h2 { margin-top: 6px; font-size: 13px; }
.pager { display: flex; justify-content: space-between; gap: 12px; padding: 10px 16px; border-top: 1px solid var(--line); font-size: 13px; }
.bullets { padding-left: 18px; }
.tree, .tree ul { list-style: none; padding-left: 14px; border-left: 1px solid var(--line); display: grid; gap: 4px; font-size: 13px; }
.tree { padding-left: 0; border: 0; }
.tree li { overflow-wrap: anywhere; }
details > summary { cursor: pointer; color: var(--accent); font-size: 12.5px; }
`;
