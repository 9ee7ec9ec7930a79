// Owns the proof that a real service tells what it does as it does it, and lets its readers go at once when it stops.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EventReader } from '../fixtures/event-reader.ts';
import { eventually, World } from './fixture/world.ts';

let world: World;
beforeEach(async () => {
  world = await World.create();
});
afterEach(() => world.end());

test('a job is followed from its enqueue to its end, and the stream ends with the service', async () => {
  const service = await world.start({ CHOKAQ_SHUTDOWN_GRACE: '30s' });
  await world.register(service, ['work.v1', 'hanging.v1']);
  world.handlers.on('hanging.v1', () => undefined);
  const reader = await EventReader.open(`${service.url}/events`);
  await eventually(() => expect(reader.lastId).toMatch(/^[0-9a-f-]{36}-\d+$/));
  const id = await service.enqueue('work.v1');
  await service.ended(id);
  await eventually(() =>
    expect(reader.events.map(({ data }) => [data.id, data.move, data.state])).toEqual([
      [id, 'enqueue', 'pending'],
      [id, 'start', 'processing'],
      [id, 'succeed', 'succeeded'],
    ]),
  );
  const hanging = await service.enqueue('hanging.v1');
  await eventually(() => expect(world.handlers.callsFor(hanging)).toHaveLength(1));
  service.signal('SIGTERM');
  await eventually(() => expect(reader.isEnded).toBe(true));
  expect(world.handlers.callsFor(hanging)[0]?.response.destroyed, 'the grace is not over').toBe(false);
  world.handlers.release('hanging.v1');
  expect(await service.exit).toEqual({ code: 0, signal: null });
});
