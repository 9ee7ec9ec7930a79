// Owns how transitions are applied: read, decided in order, and written in one transaction that finds nothing changed meanwhile.
import { randomUUID } from 'node:crypto';
import type { Transition } from '../../domain/lifecycle.ts';
import type { Applied } from '../../ports/store.ts';
import { CircuitSet } from '../circuit-set.ts';
import { look, type Picture } from './apply-picture.ts';
import { type Reply, Round } from './apply-round.ts';
import { workOf } from './apply-write.ts';
import { changesOf, storeCircuits } from './circuit-changes.ts';
import { circuitSet, circuitsFrom, type KnownCircuits, READ_CIRCUITS, revisionsOf } from './circuit-copy.ts';
import { isOvertaken } from './faults.ts';
import type { Application, SettledAll } from './jobs.ts';
import { lastWrite, RECORD_WRITE } from './ledger.ts';
import type { Session } from './session.ts';

/** Transitions that move the same job, key or result claim go one after the other, in rounds. */
export async function applyAll(session: Session, batch: readonly Application[]): SettledAll<readonly Applied[]> {
  const transitions = batch.flatMap(call => call.transitions);
  const answers = new Array<Applied>(transitions.length);
  let left = transitions.map((transition, at) => ({ transition, at }));
  while (left.length > 0) {
    const applied = await applyRound(
      session,
      left.map(({ transition }) => transition),
    );
    for (const [i, { at }] of left.entries()) {
      const answer = applied[i];
      if (answer) answers[at] = answer;
    }
    left = left.filter((_, i) => !applied[i]);
  }
  let from = 0;
  return batch.map(call => {
    from += call.transitions.length;
    return { result: answers.slice(from - call.transitions.length, from) };
  });
}

type Replies = readonly (Reply | null)[];

/** Null where a transition has to wait for the next round. */
function applyRound(session: Session, transitions: readonly Transition[]): Promise<readonly (Applied | null)[]> {
  const writer = `${session.writer} apply`;
  /** What was sent and never answered: one of these may have been committed. */
  const unanswered = new Map<string, Replies>();
  return session.decided('apply', async () => {
    const picture = await look(session, transitions);
    const last = unanswered.size > 0 ? await lastWrite(session, writer) : undefined;
    const done = last && unanswered.get(last.write_id);
    if (done) return answersAt(done, last.at);
    const { round, replies, ...text } = await decide(session, transitions, picture);
    if (round.hot.length + round.ended.length === 0) return answersAt(replies, picture.now);
    const writeId = randomUUID();
    try {
      const work = `${text.work} ${RECORD_WRITE}`;
      const answer = await session.writeOnce({ work }, { ...text.values, writer, write_id: writeId });
      return answersAt(replies, answer.now);
    } catch (error) {
      if (isOvertaken(error)) session.circuits.forget();
      else unanswered.set(writeId, replies);
      throw error;
    }
  });
}

function answersAt(replies: Replies, at: number): readonly (Applied | null)[] {
  return replies.map(reply => reply?.(at) ?? null);
}

async function decide(session: Session, transitions: readonly Transition[], picture: Picture) {
  const known = await circuitsFor(session, transitions, picture);
  const circuits = known === null ? new CircuitSet([], new Map()) : circuitSet(known);
  const round = new Round(picture, circuits);
  const replies = transitions.map(transition => round.decide(transition));
  const changes = storeCircuits(changesOf(circuits, known?.circuits ?? []));
  return { round, replies, ...workOf(round, changes, known === null ? {} : revisionsOf(known)) };
}

/**
 * The circuits that these transitions ask or tell. Null: none. A claim of epoch 0 was admitted by a circuit that had never
 * moved, so unless its end tells something about the handler there is nothing to give back.
 */
async function circuitsFor(
  session: Session,
  transitions: readonly Transition[],
  { hot }: Picture,
): Promise<KnownCircuits | null> {
  const tells = transitions.some(({ circuit, jobId }) => circuit || (hot.get(jobId)?.circuit_epoch ?? 0) > 0);
  if (tells) return circuitsFrom(await session.readOnce(READ_CIRCUITS));
  return transitions.some(({ guard }) => guard.circuitAdmits) ? session.circuits.known() : null;
}
