// Owns the operations on runtime settings.
import type { EffectiveSetting } from '../../application/settings.ts';
import { noteForAudit } from '../audited.ts';
import { type ApiParts, actorOf, type Operations } from '../operation.ts';
import { presentSetting } from '../present.ts';
import { sendJson } from '../reply.ts';

export function settingOperations({ settings }: ApiParts): Operations {
  return {
    listSettings(_req, res) {
      sendJson(res, 200, pageOf(settings.list()));
    },

    async changeSettings(req, res) {
      const changes = req.body as Readonly<Record<string, unknown>>;
      const changed = await settings.change(changes, actorOf(req));
      noteForAudit(res, { details: { settings: changes } });
      sendJson(res, 200, pageOf(changed));
    },
  };
}

function pageOf(settings: readonly EffectiveSetting[]): object {
  return { items: settings.map(presentSetting), nextCursor: null };
}
