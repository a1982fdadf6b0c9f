/** Notes over REST, and who reads them. */

import t from 'tap';
import type { Id } from '../../../src/kernel/ids.ts';
import { findAgent } from '../../../src/store/accounts/agents.ts';
import { countNotes, findNote, insertNote, setReaders } from '../../../src/store/notes/notes.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { answerOf } from '../../harness/http/answer.ts';
import { startInstance } from '../../harness/instance.ts';
import { listActs } from '../../harness/operator.ts';

const UNKNOWN = '01900000-0000-7000-8000-00000000abcd';

t.test('notes', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const client = instance.client(ann);
  const zoe = await instance.addAgent('zoe', await instance.addWorkspace('Globex'));

  const answer = answerOf(instance);
  const notFound = [404, { error: 'note_not_found_or_not_granted' }] as const;

  await t.test('written, read, changed, deleted: by every agent of the workspace', async (t) => {
    const [status, note] = await answer(ann, 'POST', '/v1/notes', { title: ' Fair ', body: 'Stand 12\r\n\u0000' });
    t.equal(status, 201);
    const { id, created_at, updated_at, ...shown } = note;
    t.same(shown, {
      ...{ title: 'Fair', body: 'Stand 12\r\n\ufffd', revision: 1 },
      made_by: { kind: 'agent', name: 'ann', own: true },
    });
    t.equal(created_at, updated_at);
    t.same(await answer(bob, 'GET', `/v1/notes/${id}`), [
      200,
      { ...note, made_by: { kind: 'agent', name: 'ann', own: false } },
    ]);
    t.match(await answer(bob, 'PATCH', `/v1/notes/${id}`, { body: 'Stand 13' }), [
      200,
      { title: 'Fair', body: 'Stand 13', created_at },
    ]);
    t.match(await answer(ann, 'PATCH', `/v1/notes/${id}`, { title: null }), [200, { title: null, body: 'Stand 13' }]);
    t.match(await answer(ann, 'PATCH', `/v1/notes/${id}`, {}), [400, { error: 'nothing_to_update' }]);
    t.same(await answer(bob, 'DELETE', `/v1/notes/${id}`), [200, { deleted: true }]);
    t.match(await answer(ann, 'DELETE', `/v1/notes/${id}`), notFound);
    t.match(await answer(ann, 'GET', `/v1/notes/${id}`), notFound);
    t.match(await answer(ann, 'PATCH', `/v1/notes/${id}`, { body: 'x' }), notFound);
    for (const path of [`/v1/notes/${UNKNOWN}`, '/v1/notes/nonsense'])
      t.match(await answer(ann, 'GET', path), notFound);
    t.same((await client.notes.list({ q: 'stand' })).notes, [], 'nothing is left in the index');
  });

  await t.test('form and length', async (t) => {
    const bad = async (body: object, error: string) =>
      t.match(await answer(ann, 'POST', '/v1/notes', body), [400, { error, hint: String }]);
    await bad({}, 'body_required');
    await bad({ title: 'x' }, 'body_required');
    for (const body of ['', ' \n', null]) await bad({ body }, 'body_required');
    const { id: kept } = await client.notes.create({ body: 'Kept' });
    for (const body of ['', null])
      t.match(await answer(ann, 'PATCH', `/v1/notes/${kept}`, { body }), [400, { error: 'body_required' }]);
    t.match(await client.notes.get({ id: kept }), { body: 'Kept' });
    await client.notes.remove({ id: kept });
    await bad({ body: 7 }, 'invalid_request');
    await bad({ body: 'x'.repeat(100_001) }, 'invalid_request');
    await bad({ body: 'x', title: 'x'.repeat(201) }, 'invalid_request');
    await bad({ body: 'x', title: 'a\nb' }, 'invalid_request');
    await bad({ body: 'x', agents: ['ann'] }, 'invalid_request');
    const body = Array.from({ length: 10_000 }, (_, at) => `w${at.toString(36)} ä`.padEnd(10)).join('');
    t.equal(body.length, 100_000);
    const { id } = await client.notes.create({ body });
    t.equal((await client.notes.get({ id })).body, body);
    t.equal((await client.notes.update({ id, body: 'ü'.repeat(100_000) })).body.length, 100_000);
    await client.notes.remove({ id });
  });

  await t.test('search and pages', async (t) => {
    const made: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      const { id } = await client.notes.create({ title: at % 2 ? 'Éclair recipe' : null, body: `Bake ${at} éclairs` });
      made.unshift(id);
    }
    const idsOf = ({ notes }: { notes: { id: string }[] }) => notes.map(({ id }) => id);
    t.same(idsOf(await client.notes.list({ q: 'ECLAIR bake' })).toSorted(), made.toSorted(), 'each once');
    t.same(idsOf(await client.notes.list({ q: 'recipe' })), [made[1], made[3]], 'newest first');
    t.same(idsOf(await client.notes.list({ q: 'eclair nothing' })), []);
    t.same(idsOf(await client.notes.list({ q: '"(*' })), []);
    for (const q of [undefined, 'bake']) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.notes.list({ limit: 2, ...(q && { q }), ...(cursor && { cursor }) });
        seen.push(...idsOf(page));
        cursor = page.next_cursor ?? undefined;
      } while (cursor);
      t.same(seen, made, `pages of ${q ?? 'all'}`);
    }
    for (const query of ['limit=101', 'limit=0', 'cursor=x', 'q=bake&cursor=x', 'q=a+b+c+d+e+f+g+h+i+j+k'])
      t.match(await answer(ann, 'GET', `/v1/notes?${query}`), [400, { error: 'invalid_request' }], query);
    t.same(idsOf(await instance.client(zoe).notes.list({})), [], "another workspace's are not listed");
    t.same(idsOf(await instance.client(zoe).notes.list({ q: 'bake' })), []);
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { body: 'x' }],
      ['DELETE', undefined],
    ] as const)
      t.match(await answer(zoe, method, `/v1/notes/${made[0]}`, body), notFound, method);
    t.match(await client.notes.get({ id: made[0] ?? '' }), { body: 'Bake 4 éclairs' });
  });

  await t.test('a note for named agents is read by these alone', async (t) => {
    const { id } = await client.notes.create({ title: 'Secret plan', body: 'Tell none' });
    await instance.inStore((store) =>
      store.write(async (tx) => {
        const [note, agent] = [
          await findNote(tx.db, instance.workspace.id, id as Id<'note'>, null),
          await findAgent(tx.db, 'bob'),
        ];
        if (note && agent) await setReaders(tx, note, [agent.id]);
      }),
    );
    t.match(await instance.client(bob).notes.get({ id }), { title: 'Secret plan' });
    t.match((await instance.client(bob).notes.list({ q: 'secret' })).notes, [{ id }]);
    t.match((await instance.client(bob).notes.list({ limit: 1 })).notes, [{ id }], 'among those for all');
    t.same((await client.notes.list({ q: 'secret' })).notes, []);
    t.notOk((await client.notes.list({})).notes.some((note) => note.id === id));
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { body: 'x' }],
      ['DELETE', undefined],
    ] as const)
      t.match(await answer(ann, method, `/v1/notes/${id}`, body), notFound, method);
    const shown = await cliJson(instance.configPath, 'notes', 'show', id, '--workspace', 'acme');
    t.match(shown, { id, title: 'Secret plan', body: 'Tell none', agents: ['bob'] });
  });

  await t.test('at the command line', async (t) => {
    const { id } = await client.notes.create({ body: 'First line\u001b[31m\nSecond \u009b1mline' });
    const { notes } = (await cliJson(instance.configPath, 'notes', 'list', '--workspace', 'acme')) as {
      notes: unknown[];
    };
    t.match(notes[0], { id, title: null, agents: null });
    const found = await cliJson(instance.configPath, 'notes', 'list', '--workspace', 'acme', '--query', 'secret');
    t.match(found, { notes: [{ title: 'Secret plan', agents: ['bob'] }] });
    const list = await runCli(instance.configPath, 'notes', 'list', '--workspace', 'acme');
    t.match(list.stdout, new RegExp(`^${id} +First line\ufffd\\[31m +all `, 'm'));
    const show = await runCli(instance.configPath, 'notes', 'show', id, '--workspace', 'acme');
    t.match(show.stdout, /^agents +all\n\nFirst line\ufffd\[31m\nSecond \ufffd1mline$/m);
    const asJson = await runCli(instance.configPath, 'notes', 'show', id, '--json');
    t.match(asJson.stdout, /\\u001b\[31m\\nSecond \\u009b1mline/);
    const none = await runCli(instance.configPath, 'notes', 'show', UNKNOWN, '--workspace', 'acme', '--json');
    t.equal(none.code, 1);
    t.match(JSON.parse(none.stderr), { error: 'note_not_found_or_not_granted' });
    const other = await runCli(instance.configPath, 'notes', 'show', id, '--workspace', 'globex', '--json');
    t.match(JSON.parse(other.stderr), { error: 'note_not_found_or_not_granted' });
    t.match(await cliJson(instance.configPath, 'notes', 'list', '--workspace', 'globex'), { notes: [] });
    t.match(await cliJson(instance.configPath, 'notes', 'show', id), { id, agents: null }, 'an id says the workspace');
    const unknown = await runCli(instance.configPath, 'notes', 'show', UNKNOWN);
    t.match([unknown.code, unknown.stderr], [1, /No such note, or it is not granted to you/]);

    const grant = (...args: string[]) => runCli(instance.configPath, 'notes', 'grant', ...args);
    t.match(await grant(id, '--agent', 'bob'), { code: 0, stdout: /^The note is read by bob\.\s*$/ });
    t.match(await answer(ann, 'GET', `/v1/notes/${id}`), notFound);
    t.match(await answer(bob, 'GET', `/v1/notes/${id}`), [200, { id }]);
    t.match(await grant(id, '--agent', 'zoe'), { code: 1, stderr: /zoe/ }, 'an agent of another workspace');
    for (const args of [[id], [id, '--all', '--agent', 'ann']])
      t.match(await grant(...args), { code: 2, stderr: /--all/ });
    t.match(await grant(UNKNOWN, '--all'), { code: 1, stderr: /note_not_found_or_not_granted/ });
    t.match(await grant(id, '--all', '--workspace', 'acme'), { code: 0, stdout: /read by all/ });
    t.match(await answer(ann, 'GET', `/v1/notes/${id}`), [200, { id }]);
    const titled = await client.notes.create({ title: 'Prices', body: 'From May on.' });
    t.match(await grant(titled.id, '--all'), { code: 0 });
    const [act] = await listActs(instance);
    t.match(act, { action: 'note.grant', subject: 'Prices', detail: { note_id: titled.id } });
  });

  await t.test('a key without the scope, and a workspace that is full', async (t) => {
    const { key } = await cliJson(instance.configPath, 'keys', 'add', 'ann', '--scopes', 'contacts');
    t.match(await answer({ ...ann, key: String(key) }, 'GET', '/v1/notes'), [
      403,
      { error: 'insufficient_scope', scope: 'notes' },
    ]);
    const { id: workspaceId } = instance.workspace;
    const now = Date.now();
    await instance.inStore((store) =>
      store.write(async (tx) => {
        for (let at = await countNotes(tx.db, workspaceId); at < 10_000; at += 1) {
          const id = `01900000-0000-7000-8000-${at.toString(16).padStart(12, '0')}` as Id<'note'>;
          const times = {
            createdAt: now,
            updatedAt: now,
            makerKind: null,
            makerId: null,
            makerName: null,
            revision: 1,
          };
          await insertNote(tx, { id, workspaceId, title: null, body: '', ...times }, [workspaceId]);
        }
      }),
    );
    t.match(await answer(ann, 'POST', '/v1/notes', { body: 'one more' }), [
      400,
      { error: 'invalid_request', hint: /at most 10000 notes/ },
    ]);
    t.match(await answer(zoe, 'POST', '/v1/notes', { body: 'one' }), [201, {}]);
  });

  t.same(instance.faults, []);
});
