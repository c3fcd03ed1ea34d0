import type { Child } from "hono/jsx";
import { Meter } from "./charts.tsx";
import { percent, share } from "./format.ts";
import { Icon, type IconName } from "./icons.tsx";

export type Tone = "good" | "warn" | "bad" | "accent" | "plain";

export function Head(props: { title: string; about?: Child; children?: Child }) {
  return (
    <div class="head">
      <div>
        <h1>{props.title}</h1>
        {props.about && <p>{props.about}</p>}
      </div>
      {props.children && <div class="actions">{props.children}</div>}
    </div>
  );
}

export function Card(props: {
  readonly title?: string;
  readonly note?: Child;
  /** Links beside the title that change what the card shows. */
  readonly tools?: Child;
  readonly children?: Child;
  readonly bare?: boolean;
}) {
  return (
    <section class="card">
      {props.title && (
        <header>
          <h2>{props.title}</h2>
          {props.tools}
          {props.note && <p>{props.note}</p>}
        </header>
      )}
      {props.bare ? props.children : <div class="body">{props.children}</div>}
    </section>
  );
}

export function Badge({ tone, children }: { tone: Tone; children: Child }) {
  return <span class={tone === "plain" ? "badge" : `badge ${tone}`}>{children}</span>;
}

const TONES: Readonly<Record<string, Tone>> = {
  active: "good",
  enabled: "good",
  live: "good",
  done: "good",
  refused: "warn",
  accepted: "good",
  approved: "good",
  delivered: "good",
  enforce: "accent",
  succeeded: "good",
  allow: "good",
  pending: "warn",
  retrying: "warn",
  require_approval: "warn",
  expiring: "warn",
  revoked: "bad",
  denied: "bad",
  deny: "bad",
  disabled: "bad",
  exceeded: "bad",
  exhausted: "bad",
  failed: "bad",
  failing: "bad",
  suspended: "bad",
};

/** The name of a state, colored by its meaning. */
export function Status({ is }: { is: string }) {
  return <Badge tone={TONES[is] ?? "plain"}>{is.replaceAll("_", " ")}</Badge>;
}

/** Tells a newcomer what goes here and what to do first. */
export function Empty(props: { icon: IconName; title: string; children: Child; action?: Child }) {
  return (
    <div class="empty">
      <Icon name={props.icon} />
      <h2>{props.title}</h2>
      <p>{props.children}</p>
      {props.action}
    </div>
  );
}

/** Shown if no item matches the filters. */
export function NoMatch({ icon, path }: { icon: IconName; path: string }) {
  const all = (
    <a class="button" href={path}>
      Show all
    </a>
  );
  return (
    <Empty icon={icon} title="Nothing matches" action={all}>
      Remove a filter or widen the range.
    </Empty>
  );
}

export function Tiles({ children }: { children: Child }) {
  return <dl class="tiles">{children}</dl>;
}

export function Tile(props: { label: string; value: Child; children?: Child }) {
  return (
    <div class="tile">
      <dt>{props.label}</dt>
      <dd>{props.value}</dd>
      {props.children && <dd class="note">{props.children}</dd>}
    </div>
  );
}

export type Fact = readonly [name: string, value: Child];

export function Facts({ of }: { of: readonly Fact[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

export function Pager({ first, next }: { first: string | null; next: string | null }) {
  if (first === null && next === null) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <span>{first && <a href={first}>First page</a>}</span>
      <span>{next && <a href={next}>Next page</a>}</span>
    </nav>
  );
}

/** A number, linked to what it was made of. Null: nothing that can be listed. */
export function Behind({ href, children }: { href: string | null; children: Child }) {
  return href === null ? <>{children}</> : <a href={href}>{children}</a>;
}

/** How much of a limit is spent and held, as a bar and in words. */
export function UsedOf({ spent, held, limit }: { spent: string; held: string; limit: string }) {
  const used = share(spent, limit);
  const holding = Number(limit) > 0 ? share(held, limit) : 0;
  return (
    <>
      <Meter spent={used} held={holding} label="Used of this limit" />
      <span class="sub number">{percent(used + holding)}</span>
    </>
  );
}

/** A secret, in the answer to the form that created it. */
export function secretPage(
  title: string,
  [name, value, about]: readonly [name: string, value: string, about: string],
  [href, back]: readonly [href: string, title: string],
) {
  return (
    <>
      <Head title={title} />
      <Card title={name}>
        <div class="secret">
          <code>{value}</code>
          <p class="quiet small">{about}</p>
        </div>
      </Card>
      <p>
        <a href={href}>{back}</a>
      </p>
    </>
  );
}
