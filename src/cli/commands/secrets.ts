/** `postroom secrets`: sealed, granted and removed by persons. A value comes by stdin and is never shown. */

import { type SealedSecretView, secretsContract } from '../../resources/secrets/contract.ts';
import type { SecretType } from '../../store/vault/secrets.ts';
import { command } from '../command.ts';
import { confirm } from '../confirm.ts';
import { wrongUsage } from '../failure.ts';
import { flag, optional, repeated, required } from '../parameters.ts';
import { formatExamples, readSecretValue, SECRET_TYPES } from '../secret-value.ts';
import { details, table } from '../table.ts';
import { withOperations } from '../with-operations.ts';

const ofWorkspace = {
  workspace: optional(
    'W',
    'where the secret stands: name, slug or id; needed where several workspaces have one of that name',
  ),
};
const secretOperand = { secret: required('SECRET', 'name or id, as `postroom secrets list` shows it') };
const grantOperands = { ...secretOperand, handle: required('HANDLE', 'handle, address or id of the agent') };

const parseType = (text: string): SecretType => {
  const type = SECRET_TYPES.find((each) => each === text);
  if (!type) throw wrongUsage(`There is no type "${text}": they are ${SECRET_TYPES.join(', ')}.`);
  return type;
};

const shown = ({ not_guarded: short, ...secret }: SealedSecretView): string => {
  const rows = Object.entries(secret).map(
    ([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value] as const,
  );
  const warning = `Too short for the leak guard, so mail that holds it is not held: ${short.join(', ')} (under 8 bytes).`;
  return [details(rows), ...(short.length > 0 ? [warning] : [])].join('\n\n');
};

const add = command({
  name: 'secrets add',
  summary: 'seals a secret; its value is read from stdin as JSON, with the fields of its type',
  operands: { name: required('NAME', 'unique in the workspace') },
  options: {
    workspace: required('W', 'name, slug or id'),
    type: required('T', `one of ${SECRET_TYPES.join(', ')}`),
    tag: repeated('TAG', 'may stand several times'),
    grant: repeated('HANDLE', 'an agent that may open it; may stand several times'),
  },
  notes: formatExamples(),
  run: async ({ name, workspace, type, tag, grant }, context) => {
    const known = { workspace, name, type: parseType(type), tags: tag, grants: grant };
    const value = await readSecretValue(known.type);
    return withOperations(context, async (call) => {
      const document = await call(secretsContract.add, { ...known, value });
      return { document, text: () => shown(document) };
    });
  },
});

const change = command({
  name: 'secrets change',
  summary: 'seals another value in the place of the one there is, read from stdin as JSON',
  operands: secretOperand,
  options: {
    ...ofWorkspace,
    tag: repeated('TAG', 'its tags from now on; without any they stay'),
    'tags-only': flag('reads no value: changes the tags alone; without --tag it has none from now on'),
  },
  run: async ({ secret, workspace, tag, 'tags-only': isTagsOnly }, context) => {
    const value = isTagsOnly ? undefined : await readSecretValue(null);
    return withOperations(context, async (call) => {
      const tags = isTagsOnly || tag.length > 0 ? { tags: tag } : {};
      const document = await call(secretsContract.change, { workspace, secret, value, ...tags });
      return { document, text: () => shown(document) };
    });
  },
});

const list = command({
  name: 'secrets list',
  summary: 'lists secrets and which agents may open them; never a value',
  operands: {},
  options: { workspace: optional('W', 'of this workspace alone: name, slug or id; without it, of all') },
  run: ({ workspace }, context) =>
    withOperations(context, async (call) => {
      const document = await call(secretsContract.list, { workspace });
      const rows = document.secrets.map(({ id, workspace: slug, name, type, tags, has_totp, grants, updated_at }) => [
        id,
        slug,
        name,
        type,
        tags.join(','),
        has_totp ? 'yes' : 'no',
        grants.join(','),
        updated_at,
      ]);
      const head = ['ID', 'WORKSPACE', 'NAME', 'TYPE', 'TAGS', 'TOTP', 'GRANTED TO', 'CHANGED'];
      return { document, text: () => table(head, rows, 'No secrets yet.') };
    }),
});

const grant = command({
  name: 'secrets grant',
  summary: 'lets an agent of the workspace open a secret',
  operands: grantOperands,
  options: { ...ofWorkspace, 'with-seed': flag('it reads the seed of the one-time codes too, not the codes alone') },
  run: ({ secret, handle, workspace, 'with-seed': withSeed }, context) =>
    withOperations(context, async (call) => {
      const document = await call(secretsContract.grant, {
        workspace,
        secret,
        agent: handle,
        with_seed: withSeed,
      });
      return { document, text: () => `${document.name} may be opened by ${document.grants.join(', ')}.` };
    }),
});

const ungrant = command({
  name: 'secrets ungrant',
  summary: 'takes a secret from an agent; change the value if it may have read it',
  operands: grantOperands,
  options: ofWorkspace,
  run: ({ secret, handle, workspace }, context) =>
    withOperations(context, async (call) => {
      const document = await call(secretsContract.ungrant, { workspace, secret, agent: handle });
      const left = document.grants.length > 0 ? document.grants.join(', ') : 'no agent';
      return { document, text: () => `${document.name} may be opened by ${left}.` };
    }),
});

const remove = command({
  name: 'secrets remove',
  summary: 'removes a secret for good, with its grants',
  operands: secretOperand,
  options: { ...ofWorkspace, yes: flag('do not ask') },
  run: async ({ secret, workspace, yes }, context) => {
    await confirm(`Remove the secret ${secret} for good?`, yes);
    return withOperations(context, async (call) => {
      const document = await call(secretsContract.remove, { workspace, secret });
      return { document, text: () => `The secret ${document.name} is removed.` };
    });
  },
});

export const secretCommands = [add, change, list, grant, ungrant, remove];
