/** `postroom domains` */

import { domainsContract } from '../../resources/domains/contract.ts';
import { command } from '../command.ts';
import { optional } from '../parameters.ts';
import { table } from '../table.ts';
import { withOperations } from '../with-operations.ts';

const list = command({
  name: 'domains list',
  summary: 'lists domains; `dns show` has their records',
  operands: {},
  options: { workspace: optional('W', 'only those of this workspace: name, slug or id') },
  run: ({ workspace }, context) =>
    withOperations(context, async (call) => {
      const document = await call(domainsContract.list, { workspace });
      const rows = document.domains.map(({ domain, kind, status, can_send }) => [
        ...[domain, kind, status],
        can_send ? 'yes' : 'no',
      ]);
      return { document, text: () => table(['DOMAIN', 'KIND', 'STATUS', 'MAY SEND'], rows, 'No domains yet.') };
    }),
});

export const domainCommands = [list];
