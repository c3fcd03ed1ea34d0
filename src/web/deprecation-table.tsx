import { DEPRECATED_ROUTES, DEPRECATED_SURFACES, operationName } from "../contract/deprecations.ts";

/** The contract's deprecations, their sunset, and what to use instead. */
export function DeprecationTable() {
  const routes = DEPRECATED_ROUTES.map((route) => ({ ...route, surface: operationName(route) }));
  return (
    <>
      <p>
        Every response of a deprecated route carries <code>Deprecation</code>, <code>Sunset</code> and{" "}
        <code>Link</code>. For all deprecated routes, including recently flagged ones, see{" "}
        <a href="/v1/meta/deprecations">/v1/meta/deprecations</a>.
      </p>
      <table>
        <thead>
          <tr>
            <th>Surface</th>
            <th>Since</th>
            <th>Sunset</th>
            <th>What to do</th>
          </tr>
        </thead>
        <tbody>
          {[...routes, ...DEPRECATED_SURFACES].map((one) => (
            <tr>
              <td>
                <code>{one.surface}</code>
              </td>
              <td>{one.since}</td>
              <td>{one.sunset ?? "after two releases"}</td>
              <td>
                {"replacement" in one ? (
                  <>
                    Use <code>{one.replacement}</code>.{" "}
                  </>
                ) : null}
                {one.migration}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
