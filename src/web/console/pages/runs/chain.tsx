import type { RunResource } from "../../../../contract/resources/runs/runs.ts";
import { Usd } from "../../view/money.tsx";
import { Card } from "../../view/parts.tsx";
import { Unread } from "../../view/unread.tsx";
import type { Answer, ListOf } from "../../visit.ts";

interface Node {
  readonly run: RunResource;
  readonly children: Node[];
}

/** Runs that call each other, as a tree. A run whose parent is not among them stands at the top. */
function treeOf(runs: readonly RunResource[]): readonly Node[] {
  const nodes = new Map(runs.map((run) => [run.id, { run, children: [] as Node[] }]));
  const roots: Node[] = [];
  for (const node of nodes.values()) {
    const parent = nodes.get(node.run.chain?.parent_run_id ?? "");
    if (parent === undefined || parent === node) roots.push(node);
    else parent.children.push(node);
  }
  return roots;
}

export function ChainCard(props: {
  readonly runs: Answer<ListOf<RunResource>>;
  readonly own: string;
  readonly chainId: string;
}) {
  const { runs, own, chainId } = props;
  const all = (
    <a href={`/console/runs?${new URLSearchParams({ chain_id: chainId })}`}>All runs of {chainId}</a>
  );
  return (
    <Card title="Chain" note={all}>
      {runs.body === null ? <Unread of={runs} /> : <Branch nodes={treeOf(runs.body.data)} own={own} />}
    </Card>
  );
}

function Branch({ nodes, own }: { nodes: readonly Node[]; own: string }) {
  return (
    <ul class="tree">
      {nodes.map(({ run, children }) => (
        <li>
          {run.id === own ? (
            <strong class="mono">{run.id}</strong>
          ) : (
            <a class="mono" href={`/console/runs/${encodeURIComponent(run.id)}`}>
              {run.id}
            </a>
          )}{" "}
          <span class="quiet">{run.model}</span> <Usd of={run.cost_usd} />
          {children.length > 0 && <Branch nodes={children} own={own} />}
        </li>
      ))}
    </ul>
  );
}
