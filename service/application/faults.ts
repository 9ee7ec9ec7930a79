// Owns the collecting of faults: all that is wrong with a request is told at once, under the code that matters most.
import { DomainError, type Fault, type RefusalCode } from '../domain/errors.ts';

/** From the one that hides the others to the one that shows only when nothing else is wrong. */
const WEIGHT = [
  'payload-too-large',
  'validation-failed',
  'type-not-registered',
] as const satisfies readonly RefusalCode[];
type FaultCode = (typeof WEIGHT)[number];

const NEXT_STEP: Record<FaultCode, string> = {
  'payload-too-large': 'Nothing was stored. Keep large content elsewhere and send a reference to it.',
  'validation-failed': 'Nothing was stored. Correct what is listed in errors and send the request again.',
  'type-not-registered': 'Nothing was stored. Register a handler for the type with PUT /handlers/{type} first.',
};

export class Faults {
  readonly #found: { readonly code: FaultCode; readonly fault: Fault }[] = [];

  add(pointer: string, detail: string, code: FaultCode = 'validation-failed'): void {
    this.#found.push({ code, fault: { detail, pointer } });
  }

  get found(): readonly Fault[] {
    return this.#found.map(({ fault }) => fault);
  }

  /** Refuses the request if anything is wrong with it. */
  check(): void {
    const code = WEIGHT.find(candidate => this.#found.some(found => found.code === candidate));
    if (code === undefined) return;
    throw new DomainError(
      code,
      NEXT_STEP[code],
      this.#found.map(found => found.fault),
    );
  }
}
