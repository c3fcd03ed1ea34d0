interface SendingGate {
  flush(): Promise<void>;
}

/** The gates of this process. One that has runs or holds to send is held by the timers that will send them, not by this. */
const gates = new Set<WeakRef<SendingGate>>();
/** Gates that nothing else may hold, and that have something to tell the service. */
const owing = new Set<SendingGate>();
let forgotten: FinalizationRegistry<WeakRef<SendingGate>> | null = null;
let isListening = false;

/**
 * Lets a gate send what it has when the process ends by itself: then there is nothing left to wait for, and the gate's timers
 * do not hold it up. A gate that is no longer used leaves nothing behind.
 */
export function sendAtEnd(gate: SendingGate): void {
  const { process } = globalThis as { process?: { once?: (event: string, listener: () => void) => unknown } };
  // Workers do not end so, and some have no weak references.
  if (process?.once === undefined || typeof FinalizationRegistry === "undefined") return;
  forgotten ??= new FinalizationRegistry((reference) => gates.delete(reference));
  const reference = new WeakRef(gate);
  gates.add(reference);
  forgotten.register(gate, reference);
  if (!isListening) process.once("beforeExit", sendAll);
  isListening = true;
}

/** Holds a gate for as long as it owes the service something that no timer sends. */
export function holdWhile(isOwing: boolean, gate: SendingGate): void {
  if (isOwing) owing.add(gate);
  else owing.delete(gate);
}

/** Each gate once: a service that is away must not keep a process from ending. */
function sendAll(): void {
  isListening = false;
  const all = [...gates];
  gates.clear();
  for (const reference of all) void reference.deref()?.flush();
}
