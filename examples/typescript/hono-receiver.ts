// A complete receiver in Hono: the same profile, for every runtime that speaks Request and Response.
//
//   npm run build && CHOKAQ_SECRET=whsec_… node dist/examples/typescript/hono-receiver.js
import { ChokaQ } from '@chokaq/sdk';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { mailing } from './mailing.ts';

const secret = process.env.CHOKAQ_SECRET ?? '';
const port = Number(process.env.PORT ?? 3000);
const app = new Hono();
const receive = mailing.fetchHandler({ secret, onError: error => console.error(error) });

app.post('/hooks/chokaq', ({ req }) => receive(req.raw));

serve({ fetch: app.fetch, hostname: '127.0.0.1', port }, async () => {
  const client = new ChokaQ({ url: process.env.CHOKAQ_URL ?? 'http://127.0.0.1:8080' });
  await mailing.register(client, { url: `http://127.0.0.1:${port}/hooks/chokaq`, secret });
  console.log(`waiting for jobs on http://127.0.0.1:${port}/hooks/chokaq`);
});
