/**
 * Seals DKIM keys, webhook secrets and headers anew that versions before 0019-vault sealed under the master key
 * itself.
 */

import { dkimContext } from '../domains/signing-keys.ts';
import { open, seal } from '../seal/envelope.ts';
import { listDkimKeys, listDomains, resealDkimKey } from '../store/accounts/domains.ts';
import { listSealedWebhooks, resealWebhook } from '../store/events/webhooks.ts';
import type { ResealLegacy } from '../vault/vault-keys.ts';
import { webhookHeaderContext, webhookSecretContext } from '../webhooks/secrets.ts';

export const resealLegacy: ResealLegacy = async (tx, master, instanceKey) => {
  const reseal = (sealed: Buffer, context: string): Buffer | null => {
    const opened = open(master, sealed, context);
    return opened && seal(instanceKey, opened, context);
  };
  for (const { id, name } of await listDomains(tx.db, null)) {
    for (const { selector, sealedPrivateKey } of await listDkimKeys(tx.db, id)) {
      const sealed = reseal(sealedPrivateKey, dkimContext(name, selector));
      if (!sealed) return false;
      await resealDkimKey(tx, id, selector, sealed);
    }
  }
  for (const { id, sealedSecrets, sealedHeaders } of await listSealedWebhooks(tx.db)) {
    const secrets = reseal(sealedSecrets, webhookSecretContext(id));
    const headers = sealedHeaders && reseal(sealedHeaders, webhookHeaderContext(id));
    if (!secrets || (sealedHeaders && !headers)) return false;
    await resealWebhook(tx, { id, sealedSecrets: secrets, sealedHeaders: headers });
  }
  return true;
};
