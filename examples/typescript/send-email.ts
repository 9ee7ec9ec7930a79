// Owns the contract that producer and receiver share: what an email job carries, and how it is enqueued.
import { defineJob } from '@chokaq/sdk';

export interface Email {
  readonly to: string;
  readonly subject: string;
}

export const SendEmail = defineJob<Email>('email.welcome.v1', {
  queue: 'mail',
  idempotencyKey: ({ to }) => `welcome:${to}`,
});
