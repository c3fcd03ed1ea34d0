export const charts = `
.meter { display: block; width: 100%; height: 8px; border-radius: 99px; background: var(--track); overflow: hidden; }
.meter .spent { fill: var(--accent); }
.meter .held { fill: var(--held); }
.meter.warn .spent { fill: var(--warn); }
.meter.bad .spent { fill: var(--bad); }
.chart { display: grid; gap: 6px; }
.plot { display: grid; grid-template-columns: auto minmax(0, 1fr); column-gap: 10px; }
.plot-y { display: flex; flex-direction: column; justify-content: space-between; text-align: right; font-size: 11.5px; color: var(--quiet); font-variant-numeric: tabular-nums; height: 190px; margin: -8px 0; }
.plot-area { width: 100%; height: 174px; display: block; overflow: visible; }
.plot-x { grid-column: 2; display: grid; grid-template-columns: 1fr 1fr; gap: 4px; font-size: 11.5px; color: var(--quiet); padding-top: 6px; }
.plot-x > :last-child, .plot-x > .today { text-align: right; }
.plot-x.ahead { grid-template-columns: 15fr 15fr 14fr; }
.plot-area .grid { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.plot-area .now { stroke: var(--line-strong); stroke-width: 1; stroke-dasharray: 3 3; vector-effect: non-scaling-stroke; }
.plot-area .bar { fill: var(--accent); }
.plot-area .slot { fill: transparent; }
.plot-area g:hover .slot { fill: var(--accent-soft); opacity: .6; }
.plot-area .band { fill: var(--held); opacity: .38; }
.plot-area .median { fill: none; stroke: var(--accent); stroke-width: 2; stroke-dasharray: 5 4; vector-effect: non-scaling-stroke; }
.key { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 12px; color: var(--quiet); }
.key span { display: inline-flex; align-items: center; gap: 6px; }
.key svg { width: 12px; height: 8px; }
.key .spent { fill: var(--accent); }
.key .band { fill: var(--held); opacity: .6; }
.ranking { display: grid; gap: 9px; list-style: none; }
.ranking li { display: grid; gap: 3px; }
.ranking .label { display: flex; justify-content: space-between; gap: 12px; font-size: 13px; }
.ranking .label > :first-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.ranking .meter { height: 6px; }
`;
