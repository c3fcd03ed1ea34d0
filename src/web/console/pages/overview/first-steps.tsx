import { Card } from "../../view/parts.tsx";

/** The first steps in a new organization. */
export function FirstSteps({ limits, keys }: { limits: number; keys: number }) {
  const steps = [
    [limits > 0, "/console/budgets/new", "Set a budget", "A budget refuses a run before it costs anything."],
    [
      keys > 1,
      "/console/keys/new",
      "Create a key for your proxy",
      "A developer key may ask for decisions and report runs.",
    ],
    [
      false,
      "/docs",
      "Ask before each run",
      "POST /v1/edge/decision answers from the location closest to you.",
    ],
  ] as const;
  return (
    <Card title="First steps">
      <ol class="steps">
        {steps.map(([done, href, title, about]) => (
          <li>
            {done ? <s>{title}</s> : <a href={href}>{title}</a>}{" "}
            <span class="quiet">{done ? "Done." : about}</span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
