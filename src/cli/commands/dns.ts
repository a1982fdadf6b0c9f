/** `postroom dns` */

import { zoneLines } from '../../domains/records.ts';
import { domainsContract } from '../../resources/domains/contract.ts';
import { command } from '../command.ts';
import { wrongUsage } from '../failure.ts';
import { optional, required } from '../parameters.ts';
import { table } from '../table.ts';
import { withOperations } from '../with-operations.ts';

const FORMATS = ['table', 'zone', 'json'] as const;
type Format = (typeof FORMATS)[number];

const parseFormat = (text: string): Format => {
  const format = FORMATS.find((each) => each === text);
  if (!format) throw wrongUsage(`There is no format ${text}: it is ${FORMATS.join(', ')}.`);
  return format;
};

const show = command({
  name: 'dns show',
  summary: 'shows the DNS records to publish for a domain',
  operands: { domain: required('DOMAIN', "the base domain, or a workspace's domain") },
  options: { format: optional(FORMATS.join('|'), 'table for people, zone for a zone file; without it table') },
  run: async ({ domain, format = 'table' }, context) => {
    const wanted = parseFormat(format);
    return withOperations(context, async (call) => {
      const { records } = await call(domainsContract.records, { domain });
      const rows = records.map(({ type, name, priority, value }) => [
        type,
        name,
        priority === null ? value : `${priority} ${value}`,
      ]);
      const texts: Record<Format, () => string> = {
        table: () => table(['TYPE', 'NAME', 'VALUE'], rows, 'No records.'),
        zone: () => zoneLines(records).join('\n'),
        json: () => JSON.stringify(records, null, 2),
      };
      return { document: records, text: texts[wanted] };
    });
  },
});

export const dnsCommands = [show];
