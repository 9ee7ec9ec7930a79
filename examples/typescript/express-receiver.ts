// A complete receiver in Express: registers its handlers, verifies every call, runs them.
//
//   npm run build && CHOKAQ_SECRET=whsec_… node dist/examples/typescript/express-receiver.js
import { ChokaQ } from '@chokaq/sdk';
import express from 'express';
import { mailing } from './mailing.ts';

const secret = process.env.CHOKAQ_SECRET ?? '';
const port = Number(process.env.PORT ?? 3000);
const app = express();

// Before express.json() and the like: signatures are over the raw bytes.
app.post('/hooks/chokaq', mailing.nodeHandler({ secret, onError: error => console.error(error) }));

app.listen(port, '127.0.0.1', async () => {
  const client = new ChokaQ({ url: process.env.CHOKAQ_URL ?? 'http://127.0.0.1:8080' });
  await mailing.register(client, { url: `http://127.0.0.1:${port}/hooks/chokaq`, secret });
  console.log(`waiting for jobs on http://127.0.0.1:${port}/hooks/chokaq`);
});
