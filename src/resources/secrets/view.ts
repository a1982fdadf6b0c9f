/** Stored secrets in the interface's shape, without their values. */

import { isoTime } from '../../kernel/clock.ts';
import type { SecretHead } from '../../store/vault/secrets.ts';
import type { SecretEntryView } from './contract.ts';

export const viewSecret = ({ id, name, type, tags, hasTotp, updatedAt }: SecretHead): SecretEntryView => ({
  id,
  name,
  type,
  tags,
  has_totp: hasTotp,
  updated_at: isoTime(updatedAt),
});
