export const charts = `
.meter { display: block; width: 100%; height: 8px; border-radius: 99px; background: var(--track); overflow: hidden; }
.meter .spent { fill: var(--accent); }
.meter .held { fill: var(--held); }
.meter.warn .spent { fill: var(--warn); }
.meter.bad .spent { fill: var(--bad); }
.sparkline { display: block; width: 84px; height: 20px; margin: 2px 0 0 auto; }
.sparkline polyline { fill: none; stroke: var(--accent); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.chart { display: grid; gap: 6px; padding-top: 10px; }
.plot { display: grid; grid-template-columns: auto minmax(0, 1fr); column-gap: 10px; }
.plot-y { display: flex; flex-direction: column; justify-content: space-between; text-align: right; font-size: 11.5px; color: var(--quiet); font-variant-numeric: tabular-nums; height: 166px; margin: -8px 0; }
.plot-area { width: 100%; height: 150px; display: block; overflow: visible; }
.plot-x { grid-column: 2; width: 100%; height: 22px; display: block; overflow: visible; font-size: 11.5px; fill: var(--quiet); }
.plot-area .grid { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.plot-area .now { stroke: var(--line-strong); stroke-width: 1; stroke-dasharray: 3 3; vector-effect: non-scaling-stroke; }
.s0 { fill: var(--s0); } .s1 { fill: var(--s1); } .s2 { fill: var(--s2); } .s3 { fill: var(--s3); } .s4 { fill: var(--s4); } .s5 { fill: var(--s5); }
.plot-area .cap { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 6 4; vector-effect: non-scaling-stroke; }
.key .cap { fill: var(--bad); }
.plot-area .slot { fill: transparent; }
.plot-area a:hover .slot, .plot-area a:focus-visible .slot { fill: var(--accent-soft); opacity: .6; }
.plot-area .band { fill: var(--held); opacity: .38; }
.plot-area .median { fill: none; stroke: var(--accent); stroke-width: 2; stroke-dasharray: 5 4; vector-effect: non-scaling-stroke; }
.plot-area .before { fill: none; stroke: var(--quiet); stroke-width: 1.5; vector-effect: non-scaling-stroke; pointer-events: none; }
.plot-area .band, .plot-area .median, .plot-area .cap { pointer-events: none; }
.key .before { fill: var(--quiet); y: 3px; height: 2px; }
.figures { font-size: 12.5px; }
.figures .scroll { max-height: 320px; overflow: auto; margin-top: 6px; border: 1px solid var(--line); border-radius: 6px; }
.figures td:first-child { min-width: 64px; }
.tip { position: absolute; z-index: 8; max-width: min(300px, calc(100vw - 16px)); padding: 8px 11px; border: 1px solid var(--line-strong); border-radius: 6px; background: var(--surface); color: var(--ink); font-size: 12.5px; overflow-wrap: anywhere; pointer-events: none; box-shadow: 0 4px 14px var(--shade); }
.tip-day { font-weight: 620; }
.tip i { display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 6px; }
.tip .s0 { background: var(--s0); } .tip .s1 { background: var(--s1); } .tip .s2 { background: var(--s2); } .tip .s3 { background: var(--s3); } .tip .s4 { background: var(--s4); } .tip .s5 { background: var(--s5); }
.change { font-size: 12px; font-weight: 600; letter-spacing: 0; color: var(--quiet); white-space: nowrap; }
.change.up { color: var(--warn); }
.change.down { color: var(--good); }
.loss { color: var(--bad); }
.tabs.lists { border-bottom: 1px solid var(--line); margin-bottom: 6px; }
.card > header .tabs { padding: 0; margin-right: auto; }
.key { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 12px; color: var(--quiet); }
.key span { display: inline-flex; align-items: center; gap: 6px; }
.key span { min-width: 0; max-width: 100%; }
.key b { font-weight: 400; max-width: 190px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.key svg { width: 12px; height: 8px; flex: none; }
.key .band { fill: var(--held); opacity: .6; }
.ranking, .counts { display: grid; gap: 9px; list-style: none; padding: 8px 16px 16px; }
.ranking li { display: grid; gap: 3px; min-width: 0; }
.ranking .label, .counts li { display: flex; justify-content: space-between; gap: 12px; font-size: 13px; min-width: 0; }
.label > :first-child, .counts li > :first-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.label > :last-child { flex: none; }
.ranking .meter { height: 5px; }
.sub { color: var(--quiet); font-size: 12px; }
.facts .sub { display: block; overflow-wrap: anywhere; }
.badges { list-style: none; margin: 0; padding: 0; display: grid; gap: 4px; justify-items: start; }
.across { grid-template-columns: repeat(auto-fit, minmax(min(100%, 240px), 1fr)); gap: 12px 28px; }
.counts { padding-top: 2px; gap: 6px; }
.list-title { padding: 4px 16px; color: var(--quiet); font-size: 12px; }
.figure { padding: 0 16px 8px; font-size: 22px; font-weight: 620; }
.label .number, .counts .number { white-space: nowrap; }
.figure .sub { font-weight: 400; margin-left: 8px; }
.note-line { padding: 6px 16px 18px; color: var(--quiet); }
.blocks { display: grid; grid-template-columns: 1fr 1.1fr .8fr; gap: 18px; align-items: start; }
.tabs { display: flex; flex-wrap: wrap; gap: 2px; padding: 0 12px 6px; }
.tabs a { padding: 2px 7px; border-radius: 6px; font-size: 12.5px; text-decoration: none; color: var(--quiet); }
.tabs a:hover { background: var(--raised); }
.tabs a[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
.range { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: baseline; justify-content: flex-end; }
.range .tabs, .views .tabs { padding: 0; }
.views { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: baseline; font-size: 12.5px; }
.views .inline { padding: 2px 0; }
.inline-form { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; padding: 4px 0 8px; font-size: 12.5px; }
.card > .inline-form { padding: 4px 16px 8px; }
.inline-form input { width: auto; flex: 0 1 140px; min-width: 0; }
p.error { color: var(--bad); font-size: 12.5px; }
.usd > span { font-size: 0; }
.usd::before { content: attr(data-shown); }
`;
