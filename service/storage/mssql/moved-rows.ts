// Owns how the moves of a round travel: a JSON row of numbers and plain words each, long texts and payloads beside them.
import { errorPrefix } from '../../domain/error-family.ts';
import type { AttemptOutcome } from '../../domain/job.ts';
import type { Change, JobEdits, Transition } from '../../domain/lifecycle.ts';
import { tagsText } from '../rows.ts';
import type { EndedMove, HotMove } from './apply-round.ts';
import { nameList } from './names.ts';
import { NO_BYTES, type Values } from './session.ts';

const DECLARE_TEXTS = 'DECLARE @texts TABLE (i INT NOT NULL PRIMARY KEY, text NVARCHAR(MAX) NOT NULL);';

/** What becomes of a hot row. */
export const HOT = { start: 1, giveBack: 2, succeed: 3, bury: 4, edit: 5, requestCancel: 6 } as const;
export type HotKind = keyof typeof HOT;
/** What becomes of a row of the DLQ, or (removed) of the archive. */
export const ENDED = { resurrect: 1, edit: 2, purge: 3, remove: 4 } as const;
export type EndedKind = keyof typeof ENDED;

const HOT_KIND_OF = {
  processing: 'start',
  pending: 'giveBack',
  succeeded: 'succeed',
  dead: 'bury',
  edited: 'edit',
  cancelRequested: 'requestCancel',
  resurrected: null,
  gone: null,
} as const satisfies Record<Change['to'], HotKind | null>;

const ENDED_KIND_OF = { resurrected: 'resurrect', edited: 'edit', gone: 'purge' } as const;

/** These end an attempt without saying anything against the handler. */
const BLAMELESS: readonly AttemptOutcome[] = ['cancelled', 'interrupted'];

export function hotKind({ transition: { change } }: HotMove): HotKind {
  const kind = HOT_KIND_OF[change.to];
  if (kind === null) throw new Error(`no move leads from the hot table to ${change.to}`);
  return kind;
}

export function endedKind({ transition: { change, guard } }: EndedMove): EndedKind {
  if (guard.states[0] === 'succeeded') return 'remove';
  if (change.to === 'resurrected' || change.to === 'edited' || change.to === 'gone') return ENDED_KIND_OF[change.to];
  throw new Error(`no move leads from dead to ${change.to}`);
}

interface Family {
  readonly i: number;
  readonly reason: string;
  readonly prefix: number;
  jobs: number;
}

/** What the moves of a round bring along. */
export class Luggage {
  readonly #texts = new Map<string, number>();
  readonly #families = new Map<string, Family>();
  readonly #bytes: Uint8Array[] = [];
  #length = 0;

  text(text: string | null): number | undefined {
    if (text === null) return undefined;
    const place = this.#texts.get(text) ?? this.#texts.size;
    this.#texts.set(text, place);
    return place;
  }

  /** One more job of this error family; answers the family's place. */
  family(reason: string, error: string | null): number {
    const prefix = errorPrefix(error);
    const family = this.#families.get(`${reason} ${prefix}`) ?? {
      ...{ i: this.#families.size, reason, prefix: this.text(prefix) ?? 0, jobs: 0 },
    };
    this.#families.set(`${reason} ${prefix}`, { ...family, jobs: family.jobs + 1 });
    return family.i;
  }

  /** Where the bytes are in @bytes, counted from 1. */
  bytes(part: Uint8Array): { readonly payload_from: number; readonly payload_bytes: number } {
    const from = this.#length + 1;
    this.#bytes.push(part);
    this.#length += part.length;
    return { payload_from: from, payload_bytes: part.length };
  }

  /** Loads `@texts`, rows of `i` and `text`. */
  loadTexts(): { readonly text: string; readonly values: Values } {
    if (this.#texts.size === 0) return { text: DECLARE_TEXTS, values: {} };
    const { rows, values } = nameList('said', [...this.#texts.keys()]);
    const load = `INSERT INTO @texts SELECT said.i, said.name FROM ${rows} WHERE said.name IS NOT NULL;`;
    return { text: `${DECLARE_TEXTS} ${load}`, values };
  }

  values(): Values {
    return {
      ...(this.#families.size > 0 ? { family_rows: JSON.stringify([...this.#families.values()]) } : {}),
      bytes: this.#bytes.length > 0 ? Buffer.concat(this.#bytes) : NO_BYTES,
    };
  }
}

export function hotRowOf(move: HotMove, n: number, luggage: Luggage): object {
  const { row, transition, lifeMs } = move;
  const { seq, version, status, promoted, holds_key: holds } = row;
  const { heartbeatAt } = transition.guard;
  const beat = heartbeatAt === null ? undefined : heartbeatAt;
  const kind = HOT[hotKind(move)];
  const life = lifeMs ?? undefined;
  return { ...{ n, seq, version, status, promoted, holds, kind, beat, life }, ...changeOf(transition, luggage) };
}

function changeOf({ change, attempt }: Transition, luggage: Luggage): object {
  const tried = attempt === undefined ? {} : { attempt: attempt.outcome, blamed: blamed(attempt.outcome) };
  switch (change.to) {
    case 'pending':
      return { ...tried, due_in: change.dueInMs ?? undefined, ...answerOf(change.answer, luggage) };
    case 'succeeded':
      return { outcome: change.outcome, ...answerOf(change.answer, luggage) };
    case 'dead':
      return {
        ...{ ...tried, reason: change.reason, by: luggage.text(change.by) },
        ...{ family: luggage.family(change.reason, change.answer.error), ...answerOf(change.answer, luggage) },
      };
    case 'edited':
      return { by: luggage.text(change.by), ...editsOf(change.edits, luggage) };
    case 'cancelRequested':
      return { by: luggage.text(change.by) };
    default:
      return {};
  }
}

function blamed(outcome: AttemptOutcome): number {
  return BLAMELESS.includes(outcome) ? 0 : 1;
}

type GivenAnswer = Pick<NonNullable<Transition['attempt']>, 'error' | 'responseStatus' | 'responseBody'>;

function answerOf(answer: GivenAnswer | undefined, luggage: Luggage): object {
  if (answer === undefined) return {};
  const { error, responseStatus, responseBody } = answer;
  const [errorText, body] = [luggage.text(error), luggage.text(responseBody)];
  return { answered: 1, error: errorText, response: responseStatus ?? undefined, body };
}

export function endedRowOf(move: EndedMove, n: number, luggage: Luggage): object {
  const { row, transition, holdsKey: holds } = move;
  const { seq, version } = row;
  const { change } = transition;
  const kind = ENDED[endedKind(move)];
  if (change.to !== 'resurrected' && change.to !== 'edited') return { n, seq, version, kind, holds };
  const edits = editsOf(change.edits, luggage);
  return { ...{ n, seq, version, kind, holds, by: luggage.text(change.by) }, ...edits };
}

function editsOf({ payload, tags, priority, due }: JobEdits, luggage: Luggage): object {
  return {
    priority,
    ...(due === undefined ? {} : 'at' in due ? { due_at: due.at } : { due_in: due.inMs }),
    ...(tags === undefined ? {} : { tagged: 1, tags: luggage.text(tagsText(tags)) }),
    ...(payload === undefined ? {} : luggage.bytes(payload)),
  };
}
