import { createECDH } from 'node:crypto';
import t from 'tap';
import { encryptPush, isPoint } from '../../../../src/notices/push/encrypt.ts';
import { createPushBrowser } from '../../../harness/http/push.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

/** RFC 8291, section 5 and appendix A. */
const RFC = {
  plaintext: 'When I grow up, I want to be a watermelon',
  browser: bytes('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'),
  publicKey: bytes('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
  auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  sender: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
  salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

t.test("the RFC's own message, and its decryption", async (t) => {
  const { plaintext, publicKey, auth, salt, sender, browser, body } = RFC;
  const encrypted = encryptPush(Buffer.from(plaintext), { publicKey, auth }, { salt, privateKey: sender });
  t.equal(encrypted.toString('base64url'), body);
  t.equal(createPushBrowser(browser, auth).decrypt(encrypted), plaintext);
});

t.test('the longest message fits one record of 4096 bytes, and a longer one is refused', async (t) => {
  const { publicKey, auth, salt, sender, browser } = RFC;
  const encrypt = (size: number) =>
    encryptPush(Buffer.alloc(size, 97), { publicKey, auth }, { salt, privateKey: sender });
  t.equal(encrypt(3993).length, 4096);
  t.equal(createPushBrowser(browser, auth).decrypt(encrypt(3993)).length, 3993);
  t.throws(() => encrypt(3994), RangeError);
});

t.test('only an uncompressed point of the curve is a key', async (t) => {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  t.equal(isPoint(pair.getPublicKey()), true);
  t.equal(isPoint(pair.getPublicKey(null, 'compressed')), false);
  const off = Buffer.from(pair.getPublicKey());
  off.writeUInt8((off[64] ?? 0) ^ 1, 64);
  t.equal(isPoint(off), false, 'a point beside the curve');
  t.equal(isPoint(Buffer.concat([Buffer.of(4), Buffer.alloc(64)])), false);
});
