import { type Address, addressKey, parseAddress } from '../../kernel/address.ts';
import { suppressionsContract } from '../../resources/suppressions/contract.ts';
import { listCommand, operationCommand, required } from '../command.ts';
import { wrongUsage } from '../failure.ts';

const ofWorkspace = { workspace: required('W', 'name, slug or id') };
const addressOperand = { address: required('ADDRESS', 'as a@example.com') };

const requireAddress = (text: string): Address => {
  const address = parseAddress(text);
  if (!address) throw wrongUsage(`${text} is no e-mail address.`);
  return addressKey(address);
};

const list = listCommand({
  name: 'suppressions list',
  summary: "lists addresses that a workspace's mail no longer goes to, newest first, up to 1000",
  options: ofWorkspace,
  operation: suppressionsContract.list,
  columns: [
    'address',
    'reason',
    ['BOUNCE', 'bounce_type'],
    ['UNTIL', ({ until }) => until ?? 'for good'],
    ['SINCE', 'created_at'],
  ],
  none: 'No address is suppressed.',
});

const change = (act: 'add' | 'remove', summary: string, text: (address: string) => string) =>
  operationCommand({
    name: `suppressions ${act}`,
    summary,
    operands: addressOperand,
    options: ofWorkspace,
    call: (call, { address, workspace }) =>
      call(suppressionsContract[act], { workspace, address: requireAddress(address) }),
    text: ({ address }) => text(address),
  });

const add = change('add', 'keeps mail from an address, for good', (address) => `No mail goes to ${address} any more.`);
const remove = change('remove', 'lets mail go to an address again', (address) => `Mail goes to ${address} again.`);

export const suppressionCommands = [list, add, remove];
