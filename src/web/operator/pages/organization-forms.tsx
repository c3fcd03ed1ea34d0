import { Form, type Seal } from "../../console/view/form.tsx";

/** The forms of an organization's page. What the API refuses is shown as it says it. */

export function Change(props: { path: string; seal: Seal; name: string; plan: string }) {
  return (
    <Form action={`${props.path}/change`} seal={props.seal}>
      <div class="field half">
        <label for="name">Name</label>
        <input id="name" name="name" type="text" value={props.name} required autocomplete="off" />
      </div>
      <div class="field half">
        <label for="plan">Plan</label>
        <input id="plan" name="plan" type="text" value={props.plan} required autocomplete="off" />
      </div>
      <div>
        <button type="submit">Save</button>
      </div>
    </Form>
  );
}

export function TopUp(props: { path: string; seal: Seal; isPrepaid: boolean }) {
  if (!props.isPrepaid) {
    return (
      <Form action={`${props.path}/prepay`} seal={props.seal}>
        <p class="quiet">The organization is not prepaid. Once it is, it spends only what was topped up.</p>
        <div class="field half">
          <label for="low">Low balance</label>
          <input id="low" name="low_balance_usd" type="text" inputmode="decimal" autocomplete="off" />
        </div>
        <div>
          <button type="submit">Make it prepaid</button>
        </div>
      </Form>
    );
  }
  return (
    <Form action={`${props.path}/top-up`} seal={props.seal}>
      <div class="field half">
        <label for="amount">Amount in USD</label>
        <input id="amount" name="amount_usd" type="text" inputmode="decimal" required autocomplete="off" />
      </div>
      <div>
        <button class="primary" type="submit">
          Top up
        </button>
      </div>
    </Form>
  );
}
