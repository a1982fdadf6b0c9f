/** `postroom suppressions` */

import { type Address, addressKey, parseAddress } from '../../kernel/address.ts';
import { viewSuppression } from '../../resources/suppressions/service.ts';
import { deleteSuppression, insertSuppression, listSuppressions } from '../../store/sending/suppressions.ts';
import { command } from '../command.ts';
import { refused, wrongUsage } from '../failure.ts';
import { requireWorkspace } from '../find.ts';
import { required } from '../parameters.ts';
import { table } from '../table.ts';
import { withInstance } from '../with-instance.ts';

const MAX_LISTED = 1_000;

const ofWorkspace = { workspace: required('W', 'name, slug or id') };
const addressOperand = { address: required('ADDRESS', 'as a@example.com') };

const requireAddress = (text: string): Address => {
  const address = parseAddress(text);
  if (!address) throw wrongUsage(`${text} is no e-mail address.`);
  return addressKey(address);
};

const list = command({
  name: 'suppressions list',
  summary: `lists addresses that a workspace's mail no longer goes to, newest first, up to ${MAX_LISTED}`,
  operands: {},
  options: ofWorkspace,
  run: ({ workspace }, context) =>
    withInstance(context, async ({ store, runtime }) => {
      const { id } = await requireWorkspace(store.read, workspace);
      const found = await listSuppressions(store.read, id, runtime.clock.now(), null, MAX_LISTED);
      const suppressions = found.map(viewSuppression);
      const rows = suppressions.map(({ address, reason, bounce_type, until, created_at }) => [
        ...[address, reason, bounce_type],
        until ?? 'for good',
        created_at,
      ]);
      return {
        document: { suppressions },
        text: () => table(['ADDRESS', 'REASON', 'BOUNCE', 'UNTIL', 'SINCE'], rows, 'No address is suppressed.'),
      };
    }),
});

const add = command({
  name: 'suppressions add',
  summary: 'keeps mail from an address, for good',
  operands: addressOperand,
  options: ofWorkspace,
  run: ({ address, workspace }, context) =>
    withInstance(context, async ({ store, runtime }) => {
      const { id } = await requireWorkspace(store.read, workspace);
      const entry = {
        address: requireAddress(address),
        reason: 'manual' as const,
        bounceType: null,
        messageId: null,
        until: null,
        createdAt: runtime.clock.now(),
      };
      await store.write((tx) => insertSuppression(tx, id, entry));
      return { document: viewSuppression(entry), text: () => `No mail goes to ${entry.address} any more.` };
    }),
});

const remove = command({
  name: 'suppressions remove',
  summary: 'lets mail go to an address again',
  operands: addressOperand,
  options: ofWorkspace,
  run: ({ address, workspace }, context) =>
    withInstance(context, async ({ store }) => {
      const { id } = await requireWorkspace(store.read, workspace);
      const key = requireAddress(address);
      const removed = await store.write((tx) => deleteSuppression(tx, id, key));
      if (!removed) throw refused(`${key} is not suppressed in ${workspace}.`);
      return { document: { address: key, removed: true }, text: () => `Mail goes to ${key} again.` };
    }),
});

export const suppressionCommands = [list, add, remove];
