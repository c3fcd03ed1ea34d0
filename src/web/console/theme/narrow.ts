/**
 * Styles for phones: the navigation is a menu, tables are blocks, and touch targets are large. Comes last, so that it
 * overrides.
 */
export const narrow = `
@media screen and (max-width: 1080px) { .blocks { grid-template-columns: 1fr 1fr; } }
@media screen and (max-width: 820px) {
  .blocks { grid-template-columns: minmax(0, 1fr); }
  .shell { grid-template-columns: minmax(0, 1fr); grid-template-rows: auto 1fr; }
  .side { position: sticky; z-index: 5; height: auto; overflow: visible; border-right: 0; border-bottom: 1px solid var(--line); padding: 8px 14px; gap: 12px; flex-direction: row; align-items: center; }
  .menu { display: inline-flex; order: 3; min-height: 40px; }
  .menu svg { width: 16px; height: 16px; }
  .nav { display: none; }
  .nav:popover-open { display: grid; grid-template-columns: 1fr 1fr; gap: 18px 12px; align-content: start; position: fixed; inset: 58px 8px auto 8px; max-height: calc(100dvh - 70px); overflow-y: auto; padding: 16px 12px; background: var(--surface); border: 1px solid var(--line-strong); border-radius: var(--radius); }
  .nav::backdrop { background: rgb(0 0 0 / .35); }
  .nav a { min-height: 40px; }
  .who { border: 0; padding: 0; display: flex; flex-direction: row; align-items: center; gap: 12px; margin-left: auto; min-width: 0; }
  .who > div { min-width: 0; max-width: 34vw; overflow: hidden; }
  .who .quiet, .fold { display: none; }
  .who form { flex: none; }
  .live { position: static; }
  .range { justify-content: flex-start; }
  .main { padding: 16px 14px 40px; gap: 14px; }
  h1 { font-size: 19px; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr { display: block; }
  tbody tr { padding: 10px 16px 12px; border-bottom: 1px solid var(--line); }
  tbody tr:last-child { border-bottom: 0; }
  tbody tr:hover > td { background: none; }
  td, td.end, td.brief, td.brief:first-child, td[class=""], td:first-child, td:last-child { display: grid; grid-template-columns: minmax(84px, 34%) minmax(0, 1fr); gap: 10px; align-items: baseline; padding: 3px 0; border: 0; min-width: 0; text-align: left; white-space: normal; }
  td::before { content: attr(data-title); color: var(--quiet); font-size: 12.5px; }
  td.wide { width: auto; }
  td .id { max-width: none; }
  td:first-child, td.act { display: block; }
  td:first-child { font-size: 14px; padding-bottom: 5px; }
  td:first-child::before, td.act::before { content: none; }
  td.act { padding-top: 8px; }
  td.act .inline { justify-content: flex-start; }
  .small-button, button.small-button { min-height: 36px; padding: 4px 14px; }
  input, select, textarea, .filters input, .filters select { font-size: 16px; min-height: 40px; }
  .button, button { min-height: 40px; }
  button.link { min-height: 0; }
}
@media screen and (max-width: 520px) { .form, .form fieldset { grid-template-columns: minmax(0, 1fr); } .form .field.half { grid-column: 1 / -1; } }
`;
