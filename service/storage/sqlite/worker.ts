// Owns a storage thread: one connection, one request at a time, each in one transaction.
import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { DomainError } from '../../domain/errors.ts';
import { openConnection } from './connection.ts';
import { NO_PARTS, type Parcel, pack, transferable, unpack } from './parcel.ts';
import { type Answer, type Call, CLOSE, type Request, sendFault, sendRefusal, type ThreadStart } from './protocol.ts';
import { makeRoom } from './retain.ts';
import { migrate, requireSchema } from './schema.ts';
import { Session } from './session.ts';
import { isRead, verbNamed } from './verbs.ts';

const port = parentPort;
if (port === null) throw new Error('a storage thread runs only as a thread');
const start = workerData as ThreadStart;
const session = open();

port.on('message', (message: Request | typeof CLOSE) => {
  if (message !== CLOSE) return answer(message);
  session?.close();
  port.close();
});

function open(): Session | null {
  try {
    const database = openConnection(start.path, start.mode);
    port?.postMessage({ applied: start.mode === 'write' ? brought(database) : [] });
    return new Session(database, start.capacity);
  } catch (error) {
    port?.postMessage({ fault: sendFault(error) });
    return null;
  }
}

function brought(database: Database): readonly string[] {
  if (start.migrates) return migrate(database, Date.now());
  requireSchema(database);
  return [];
}

function answer(request: Request): void {
  const { id } = request;
  try {
    const parcels = run(request);
    const block = pack(parcels.flatMap(parcel => (isRefusal(parcel) ? NO_PARTS : parcel.parts)));
    const answers: Answer[] = parcels.map(parcel =>
      isRefusal(parcel) ? { refusal: sendRefusal(parcel) } : { body: parcel.body, parts: parcel.parts.length },
    );
    port?.postMessage({ id, answers, block }, transferable(block));
  } catch (error) {
    port?.postMessage({ id, fault: sendFault(error) });
  }
}

function run({ now, tried, calls, block }: Request): readonly (Parcel<unknown> | DomainError)[] {
  if (session === null) throw new Error('the database could not be opened');
  const parts = unpack(block);
  let at = 0;
  const all = () =>
    calls.map(call => {
      at += call.parts;
      return runOne(session, call, parts.slice(at - call.parts, at));
    });
  if (start.mode === 'read' || calls.every(({ verb }) => isRead(verb))) return session.read(now, all);
  const work = () => {
    const parcels = all();
    makeRoom(session);
    return parcels;
  };
  return session.write(now, work, tried);
}

/** A refusal has written nothing, or taken it back itself; everything else that is thrown undoes the whole request. */
function runOne(session: Session, { verb, input }: Call, parts: readonly Uint8Array[]): Parcel<unknown> | DomainError {
  try {
    return verbNamed(verb)(session, input, parts);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

function isRefusal(parcel: Parcel<unknown> | DomainError): parcel is DomainError {
  return parcel instanceof DomainError;
}
