/** Formats DNS records and the necessary changes as text. */

import { type Config, servedZone } from '../../config/config.ts';
import { isWithin } from '../../kernel/address.ts';
import type { DnsRecordView } from '../../resources/domains/contract.ts';
import { optional } from '../command.ts';
import { printable } from '../table.ts';

/** The option of commands about a domain. */
export const ofWorkspace = {
  workspace: optional('W', 'whose domain it is, where several have added it: name, slug or id'),
};

export const wantedValue = ({ priority, value }: Pick<DnsRecordView, 'priority' | 'value'>): string =>
  priority === null ? value : `${priority} ${value}`;

/** A DKIM record has some 420 characters: tables cut it, `dns show` prints all of it. */
const CELL_CHARS = 48;
export const cutCell = (text: string): string =>
  text.length > CELL_CHARS ? `${text.slice(0, CELL_CHARS - 3)}...` : text;

/**
 * Marks records that may be left out.
 * @param isPending whether the domain is not verified yet, which requires every key
 */
export const formatNeed = ({ required, role }: DnsRecordView, isPending: boolean): string => {
  if (!required) return ' (optional)';
  return role === 'next' && !isPending ? ' (for the next rotation)' : '';
};
export const formatHint = (record: DnsRecordView, isPending: boolean): string[] =>
  record.hint === null ? [] : [`${record.name}${formatNeed(record, isPending)}: ${printable(record.hint)}`];

/** The zone in which this instance serves the domain; null: its records are published elsewhere. */
export const zoneOf = (domain: string, config: Config): string | null => {
  const zone = servedZone(config);
  return zone !== null && isWithin(domain, zone) ? zone : null;
};
