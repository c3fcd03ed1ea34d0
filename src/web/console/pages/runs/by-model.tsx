import { count } from "../../view/format.ts";
import { Meter } from "../../view/charts.tsx";
import { Usd } from "../../view/money.tsx";
import { Card } from "../../view/parts.tsx";

export interface ModelAmount {
  readonly model: string;
  readonly cost_usd: string;
  readonly runs: number;
}

/** The spend on each model, linked to the runs. */
export function ByModel(props: {
  /** The most expensive first. */
  readonly of: readonly ModelAmount[];
  /** How many models there are in all. */
  readonly models: number;
  readonly note?: string;
  readonly hrefOf: (model: string) => string;
}) {
  const { of, models, hrefOf } = props;
  const largest = Math.max(...of.map(({ cost_usd }) => Number(cost_usd)), 0);
  const note = models > of.length ? `The first ${of.length} of ${count(models)}` : props.note;
  return (
    <div id="models">
      <Card title="By model" note={note} bare>
        <ol class="ranking across">
          {of.map(({ model, cost_usd, runs }) => (
            <li>
              <span class="label">
                <a href={hrefOf(model)} title={model}>
                  {model}
                </a>
                <Usd of={cost_usd} />
              </span>
              <Meter
                spent={largest > 0 ? Number(cost_usd) / largest : 0}
                label="Of the most expensive"
                plain
              />
              <span class="sub">
                {count(runs)} {runs === 1 ? "run" : "runs"}
              </span>
            </li>
          ))}
        </ol>
      </Card>
    </div>
  );
}
