import Fastify from 'fastify';
import t from 'tap';
import { createSessionCookie } from '../../../../src/transports/pages/session-cookie.ts';

const open = (publicUrl: string) => {
  const app = Fastify();
  const cookie = createSessionCookie(publicUrl);
  app.get('/set', async (_request, reply) => cookie.set(reply, 'secret').send());
  app.get('/clear', async (_request, reply) => cookie.clear(reply).send());
  app.get('/read', async (request) => ({ secret: cookie.read(request) }));
  const read = async (header: string) =>
    (await app.inject({ url: '/read', headers: { cookie: header } })).json().secret;
  return { app, read };
};

t.test('over HTTPS it is secure, and of this host alone', async (t) => {
  const { app, read } = open('https://mx.box.test');
  const set = (await app.inject('/set')).headers['set-cookie'];
  t.equal(
    set,
    '__Host-postroom_session=secret; Max-Age=1209600; Path=/; HttpOnly; SameSite=Lax; Secure',
    'fourteen days',
  );
  t.match((await app.inject('/clear')).headers['set-cookie'], /^__Host-postroom_session=; Max-Age=0; /);
  t.equal(await read('a=b; __Host-postroom_session=secret; c=d'), 'secret');
  t.equal(await read('postroom_session=planted'), null, 'none that another host or plain HTTP has set');
});

t.test('over HTTP, on loopback, it has no prefix', async (t) => {
  const { app, read } = open('http://127.0.0.1:8025');
  t.equal(
    (await app.inject('/set')).headers['set-cookie'],
    'postroom_session=secret; Max-Age=1209600; Path=/; HttpOnly; SameSite=Lax',
  );
  t.equal(await read('postroom_session=secret'), 'secret');
  t.equal(await read('other=1'), null);
});
