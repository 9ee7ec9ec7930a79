// A complete producer: one typed job, stored before the call resolves, and watched to its end.
//
//   npm run build && node dist/examples/typescript/producer.js user@example.com
import { ChokaQ } from '@chokaq/sdk';
import { SendEmail } from './send-email.ts';

const to = process.argv[2] ?? 'user@example.com';
const client = new ChokaQ({ url: process.env.CHOKAQ_URL ?? 'http://127.0.0.1:8080' });

const { id, duplicate } = await client.enqueue(SendEmail({ to, subject: 'Welcome' }), { priority: 20 });
console.log(`job ${id} is ${duplicate ? 'there already' : 'stored'}`);

const job = await client.waitFor(id, { timeout: '1m' });
console.log(`job ${id} ${job.failureReason ?? job.state}: ${job.lastResponseBody}`);
