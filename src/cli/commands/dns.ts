/** `postroom dns` */

import type { Instance } from '../../app/instance.ts';
import { recordsOf, zoneLines } from '../../domains/records.ts';
import { parseDomain } from '../../kernel/address.ts';
import { type Domain, findDomain, listDkimKeys } from '../../store/accounts/domains.ts';
import { command } from '../command.ts';
import { refused, wrongUsage } from '../failure.ts';
import { optional, required } from '../parameters.ts';
import { table } from '../table.ts';
import { withInstance } from '../with-instance.ts';
import { makeBaseDomain, viewRecord } from './domains.ts';

const FORMATS = ['table', 'zone', 'json'] as const;
type Format = (typeof FORMATS)[number];

const parseFormat = (text: string): Format => {
  const format = FORMATS.find((each) => each === text);
  if (!format) throw wrongUsage(`There is no format ${text}: it is ${FORMATS.join(', ')}.`);
  return format;
};

const requireDomain = async (instance: Instance, text: string): Promise<Domain> => {
  const name = parseDomain(text, 1);
  if (name === instance.config.base_domain) await makeBaseDomain(instance);
  const made = name && (await findDomain(instance.store.read, name));
  if (!made) throw refused(`${text} is no domain of this box. \`postroom domains list\` shows those there are.`);
  return made;
};

const show = command({
  name: 'dns show',
  summary: 'shows the DNS records to publish for a domain',
  operands: { domain: required('DOMAIN', "the base domain, or a workspace's domain") },
  options: { format: optional(FORMATS.join('|'), 'table for people, zone for a zone file; without it table') },
  run: async ({ domain, format = 'table' }, context) => {
    const wanted = parseFormat(format);
    return withInstance(context, async (instance) => {
      const found = await requireDomain(instance, domain);
      const records = recordsOf(found, await listDkimKeys(instance.store.read, found.id), instance.config.hostname);
      const document = records.map(viewRecord);
      const rows = records.map(({ type, name, priority, value }) => [
        type,
        name,
        priority === null ? value : `${priority} ${value}`,
      ]);
      const texts: Record<Format, () => string> = {
        table: () => table(['TYPE', 'NAME', 'VALUE'], rows, 'No records.'),
        zone: () => zoneLines(records).join('\n'),
        json: () => JSON.stringify(document, null, 2),
      };
      return { document, text: texts[wanted] };
    });
  },
});

export const dnsCommands = [show];
