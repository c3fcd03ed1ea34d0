export const layout = `
.skip { position: absolute; left: 12px; top: -60px; background: var(--accent); color: var(--accent-ink); padding: 8px 14px; border-radius: 6px; z-index: 9; }
.skip:focus { top: 10px; }
.shell { display: grid; grid-template-columns: 216px minmax(0, 1fr); min-height: 100vh; }
.side { background: var(--surface); border-right: 1px solid var(--line); padding: 18px 12px; display: flex; flex-direction: column; gap: 18px;
  position: sticky; top: 0; height: 100vh; }
.brand { display: flex; align-items: center; gap: 9px; padding: 0 8px; color: var(--ink); text-decoration: none; font-weight: 680; font-size: 16px; letter-spacing: -.02em; }
.brand svg { width: 22px; height: 22px; color: var(--accent); flex: none; }
.nav { display: flex; flex-direction: column; gap: 8px; flex: 1; position: static; inset: auto; width: auto; height: auto; margin: 0; padding: 0; border: 0; color: inherit; overflow: hidden auto; min-height: 0; scrollbar-width: thin; }
.nav { background: linear-gradient(var(--surface) 30%, transparent) 0 0 / 100% 44px local, linear-gradient(transparent, var(--surface) 70%) 0 100% / 100% 44px local,
  linear-gradient(var(--shade), transparent) 0 0 / 100% 14px scroll, linear-gradient(transparent, var(--shade)) 0 100% / 100% 14px scroll; background-color: var(--surface); background-repeat: no-repeat; }
.menu { display: none; }
.nav ul { list-style: none; display: flex; flex-direction: column; gap: 1px; }
.nav h2 { font-size: 11px; font-weight: 620; letter-spacing: .05em; text-transform: uppercase; color: var(--quiet); padding: 0 8px 3px; }
.nav a { display: flex; align-items: center; gap: 9px; padding: 5px 8px; border-radius: 6px; color: var(--ink); text-decoration: none; font-size: 13.5px; }
.nav a:hover { background: var(--raised); }
.nav a[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
.nav svg { width: 16px; height: 16px; flex: none; opacity: .8; }
.nav .count { margin-left: auto; }
.who { border-top: 1px solid var(--line); padding: 12px 8px 0; font-size: 12.5px; display: grid; grid-template-columns: minmax(0, 1fr); gap: 6px; }
.who > div { min-width: 0; }
.who .quiet { display: block; overflow: hidden; text-overflow: ellipsis; }
.fold { padding: 0 8px; font-size: 12.5px; }
.fold button { display: inline-flex; gap: 6px; color: var(--quiet); text-decoration: none; }
.subnav { display: flex; flex-wrap: wrap; gap: 2px 4px; border-bottom: 1px solid var(--line); }
.subnav a { padding: 5px 10px; margin-bottom: -1px; border-bottom: 2px solid transparent; font-size: 13.5px; text-decoration: none; color: var(--quiet); }
.subnav a:hover { color: var(--ink); border-color: var(--line-strong); }
.subnav a[aria-current] { color: var(--accent); font-weight: 600; border-color: var(--accent); }
.subnav .count { margin-left: 6px; }
@media (min-width: 821px) {
  .shell.slim { grid-template-columns: 72px minmax(0, 1fr); }
  .slim .name { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  .slim .side { padding: 18px 8px; }
  .slim .brand, .slim .nav a, .slim .fold { justify-content: center; position: relative; }
  .slim .fold { display: flex; padding: 0; }
  .slim .nav .count { position: absolute; right: 0; top: -2px; margin: 0; padding: 0 4px; }
  .slim .who { padding: 12px 0 0; }
  .slim .who > div { display: none; }
  .slim .who button { font-size: 11px; }
}
.who strong { display: block; font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.main { position: relative; padding: 24px 28px 56px; max-width: 1240px; width: 100%; display: flex; flex-direction: column; gap: 18px; }
.head { display: flex; flex-wrap: wrap; align-items: flex-end; justify-content: space-between; gap: 12px 20px; }
.head > div:first-child { min-width: 0; }
.head p { color: var(--quiet); max-width: 68ch; margin-top: 3px; }
.head .actions { display: flex; flex-wrap: wrap; gap: 8px; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr)); gap: 18px; align-items: start; }
.stack { display: flex; flex-direction: column; gap: 18px; min-width: 0; }
.inline { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.inline form { display: inline-flex; }
.banner { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 14px; background: var(--warn-soft); color: var(--ink); border: 1px solid var(--warn); border-radius: var(--radius); padding: 9px 14px; }
.search { display: flex; gap: 6px; max-width: 460px; width: 100%; }
.search { position: relative; }
.found { position: absolute; z-index: 4; top: calc(100% + 4px); left: 0; right: 0; max-height: 60vh; overflow-y: auto; background: var(--surface); border: 1px solid var(--line-strong); border-radius: var(--radius); padding: 4px; }
.found a { display: flex; justify-content: space-between; gap: 12px; padding: 5px 8px; border-radius: 6px; color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
.found a span { color: var(--quiet); font-size: 12.5px; white-space: nowrap; }
.found a:hover, .found a[aria-selected=true] { background: var(--accent-soft); }
.search input { min-height: 32px; font-size: 13px; }
.live { position: absolute; right: 28px; top: 28px; font-size: 12px; color: var(--quiet); }
.live span:not([hidden])::before { content: ""; display: inline-block; width: 7px; height: 7px; border-radius: 99px; background: var(--good); margin-right: 6px; }
.banner.test { background: var(--accent-soft); border-color: var(--accent); }
.banner.test strong { color: var(--accent); }
.banner strong { color: var(--warn); }
.plain { min-height: 100vh; display: grid; place-items: center; padding: 24px 16px; }
.plain .card { width: min(100%, 400px); padding: 28px; display: grid; gap: 18px; }
.plain .brand { padding: 0; }
`;
