/** On paper a page is its figures and tables, dark on white: nothing to click, nothing to fill in. Comes last of all. */
export const print = `
@media print {
  :root { color-scheme: light; }
  .side, .search, .live, .skip, .tip, .range, .views, .head .actions, .filters, .figures, .inline-form, .pager, .subnav, .card > header .tabs, .tabs a:not([aria-current]), form, button, td.act, th.act { display: none; }
  .shell { display: block; min-height: 0; }
  .main { max-width: none; padding: 0; gap: 12px; }
  body { background: none; font-size: 11pt; }
  a { color: inherit; text-decoration: none; }
  .card, .tile, tr, figure { break-inside: avoid; }
  .card > header { break-after: avoid; }
  .scroll { overflow: visible; }
  thead { display: table-header-group; }
  details:not([open]) { display: none; }
  .plot-area, .meter, .key svg { print-color-adjust: exact; }
  .blocks { grid-template-columns: 1fr 1fr; }
}
`;
