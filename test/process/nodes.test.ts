// Owns the proof that running processes see each other, and miss the one that was killed or is about to leave.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServiceProcess } from './fixture/service.ts';
import { eventually, World } from './fixture/world.ts';

let world: World;
beforeEach(async () => {
  world = await World.create();
});
afterEach(() => world.end());

const seenBy = async (service: ServiceProcess) => (await service.read('/nodes')).items;

test('two nodes see each other; one that is killed disappears, one that winds down says so', async () => {
  world.handlers.on('hanging.v1', () => undefined);
  const first = await world.start({ CHOKAQ_CONCURRENCY: '3' });
  const second = await world.start({ CHOKAQ_CONCURRENCY: '4' });
  const third = await world.start({ CHOKAQ_CONCURRENCY: '5' });
  await eventually(async () => expect(await seenBy(first)).toHaveLength(3));
  expect(
    (await seenBy(second)).map(({ concurrency, isSelf }: Record<string, unknown>) => [concurrency, isSelf]),
  ).toEqual([
    [3, false],
    [4, true],
    [5, false],
  ]);
  await third.kill();
  await eventually(async () => expect(await seenBy(first)).toHaveLength(2));

  await world.register(first, ['hanging.v1']);
  const id = await second.enqueue('hanging.v1');
  await eventually(async () => expect(await first.job(id)).toMatchObject({ state: 'processing' }));
  const { workerId } = await first.job(id);
  const [owner, other] = (await seenBy(first))[0].id === workerId ? [first, second] : [second, first];
  expect((await seenBy(other)).find((node: { id: string }) => node.id === workerId)).toMatchObject({ running: 1 });
  owner.signal('SIGTERM');
  await eventually(async () =>
    expect((await seenBy(other)).find((node: { id: string }) => node.id === workerId)).toMatchObject({
      isDraining: true,
    }),
  );
});
