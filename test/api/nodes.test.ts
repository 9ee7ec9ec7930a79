// Owns the proof of the list of nodes over HTTP: who is running, and which of them answers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api, OWNER } from './fixture/api.ts';

const NODE = { host: 'elsewhere', version: '9', concurrency: 7 };

let api: Api;
beforeAll(async () => {
  api = await Api.start();
});
afterAll(() => api.close());

const listed = async () => (await api.get('/nodes')).json.items;

test('Running nodes are listed, the one that answers is marked, and a silent one disappears', async () => {
  await api.store.nodes.announce({ ...NODE, id: OWNER });
  await api.store.nodes.announce({ ...NODE, id: 'other' });
  expect(await listed()).toMatchObject([
    { ...NODE, id: OWNER, isSelf: true, isDraining: false, running: 0 },
    { ...NODE, id: 'other', isSelf: false },
  ]);
  api.clock.advance(37_000);
  expect((await listed()).map((node: { id: string }) => node.id)).toEqual([OWNER]);
});

test('What a node holds is shown with it', async () => {
  await api.register('work.v1');
  await api.post('/jobs', { type: 'work.v1', payload: 1 });
  await api.run();
  expect((await listed())[0]).toMatchObject({ id: OWNER, running: 1 });
});
