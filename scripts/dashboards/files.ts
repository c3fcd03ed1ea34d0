import { operatorDashboard, orgDashboard } from "./dashboards.ts";
import { alertsText, alertTestsText } from "./rules.ts";

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

/** What `docs/dashboards` contains, by path. */
export function dashboardFiles(): ReadonlyMap<string, string> {
  return new Map([
    ["docs/dashboards/operator.json", json(operatorDashboard())],
    ["docs/dashboards/org.json", json(orgDashboard())],
    ["docs/dashboards/alerts.yaml", alertsText()],
    ["docs/dashboards/alerts.test.yaml", alertTestsText("ofHours")],
    ["docs/dashboards/alerts-of-days.test.yaml", alertTestsText("ofDays")],
  ]);
}
