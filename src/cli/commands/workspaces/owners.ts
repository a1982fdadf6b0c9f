/** `postroom owners` */

import { ownersContract } from '../../../resources/owners/contract.ts';
import { command } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { flag, optional, required } from '../../parameters.ts';
import { details, table } from '../../table.ts';
import { withOperations } from '../../with-operations.ts';
import { formatEnded } from '../ended-connections.ts';

const email = required('EMAIL', 'the address that the owner signs in by');

const add = command({
  name: 'owners add',
  summary: 'gives a workspace a further owner',
  operands: { email },
  options: { workspace: required('W', 'name, slug or id') },
  run: ({ email, workspace }, context) =>
    withOperations(context, async (call) => {
      const document = await call(ownersContract.add, { email, workspace });
      return {
        document,
        text: () =>
          [
            `${document.email} owns ${document.workspace}: postroom owners sign-in-link ${document.email}`,
            document.may_send
              ? `${document.workspace} may send.`
              : `${document.workspace} may not send: postroom workspaces show ${document.workspace}`,
          ].join('\n'),
      };
    }),
});

const list = command({
  name: 'owners list',
  summary: 'lists the owners of workspaces',
  operands: {},
  options: { workspace: optional('W', 'only those of this workspace: name, slug or id') },
  run: ({ workspace }, context) =>
    withOperations(context, async (call) => {
      const document = await call(ownersContract.list, { workspace });
      const rows = document.owners.map((owner) => [
        owner.email,
        owner.workspace,
        owner.verified_at ? 'yes' : 'no',
        owner.may_send ? 'yes' : 'no',
      ]);
      return {
        document,
        text: () => table(['OWNER', 'WORKSPACE', 'ADDRESS PROVEN', 'MAY SEND'], rows, 'No owners yet.'),
      };
    }),
});

const remove = command({
  name: 'owners remove',
  summary: 'takes a workspace from an owner, at once',
  operands: { email },
  options: { workspace: required('W', 'name, slug or id'), yes: flag('do not ask') },
  run: ({ email, workspace, yes }, context) =>
    withOperations(context, async (call) => {
      await confirm(`Take ${workspace} from ${email}?`, yes);
      const document = await call(ownersContract.remove, { email, workspace });
      return {
        document,
        text: () =>
          [`${document.email} owns ${document.workspace} no more.`, ...formatEnded(document.ended)].join('\n'),
      };
    }),
});

const signInLink = command({
  name: 'owners sign-in-link',
  summary: 'makes a link that signs an owner in, once, within 15 minutes',
  operands: { email },
  options: {},
  run: ({ email }, context) =>
    withOperations(context, async (call) => {
      const document = await call(ownersContract.addSignInLink, { email });
      return { document, text: () => details(Object.entries(document)) };
    }),
});

const signOut = command({
  name: 'owners sign-out',
  summary: 'ends all sessions of an owner, and the links that would sign it in',
  operands: { email },
  options: {},
  run: ({ email }, context) =>
    withOperations(context, async (call) => {
      const document = await call(ownersContract.signOut, { email });
      return { document, text: () => `${document.ended} sessions of ${document.email} have ended.` };
    }),
});

export const ownerCommands = [add, list, remove, signInLink, signOut];
