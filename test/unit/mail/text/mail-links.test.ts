/** Links that ask for something, told from those that lead somewhere: by their label, their path, the words before them. */

import t from 'tap';
import { findLinks as findAll } from '../../../../src/mail/text/mail-links.ts';
import { findCodes } from '../../../../src/mail/text/one-time-codes.ts';
import { toSnippet } from '../../../../src/mail/text/snippet.ts';

/** Those that ask for something. */
const findLinks = (text: string, anchors: { label: string; href: string }[]): string[] =>
  findAll(text, '', anchors).links.flatMap(({ url, action }) => (action ? [url] : []));

type Link = [label: string, href: string];

const ASKING: Link[] = [
  ['Verify email', 'https://c.com/x'],
  ['Confirm your account', 'https://c.com/x'],
  ['Confirm subscription', 'https://c.com/x'],
  ['Reset password', 'https://c.com/x'],
  ['Sign in', 'https://c.com/in?t=9f8e7d6c5b4a39281706abcd'],
  ['Click here', 'https://c.com/verify?x=1'],
  ['go', 'https://d.com/magic-link?t=1'],
  ['Here', 'https://c.com/users/confirmation?confirmation_token=abc123'],
  ['Here', 'https://x.firebaseapp.com/__/auth/action?mode=verifyEmail&oobCode=abcdef'],
  ['E-Mail bestätigen', 'https://c.com/x'],
  ['メールアドレスを認証', 'https://c.com/x'],
  ['验证邮箱', 'https://c.com/x'],
  ['이메일 인증', 'https://c.com/x'],
  ['Подтвердить', 'https://c.com/x'],
  ['ยืนยันอีเมล', 'https://c.com/x'],
  ['Xác nhận email', 'https://c.com/x'],
  ['Onayla', 'https://c.com/x'],
  ['Potvrdit e-mail', 'https://c.com/x'],
  ['Bekræft e-mail', 'https://c.com/x'],
  ['Vahvista sähköposti', 'https://c.com/x'],
  ['Потвърдете имейл', 'https://c.com/x'],
  ['Kinnita e-post', 'https://c.com/x'],
  ['Patvirtinti el. paštą', 'https://c.com/x'],
  ['Apstiprināt e-pastu', 'https://c.com/x'],
  ['Sahkan e-mel', 'https://c.com/x'],
  ['تأیید ایمیل', 'https://c.com/x'],
  ['تأكيد البريد', 'https://c.com/x'],
  ['אימות כתובת', 'https://c.com/x'],
  ['Activate', 'https://c.com/x'],
  ['https://verify.c.com/verify/abc', 'https://verify.c.com/verify/abc'],
];

const LEADING: Link[] = [
  ['Help', 'https://d.com/help'],
  ['News', 'https://verify.acme.test/news'],
  ['https://login.acme.test/about', 'https://login.acme.test/about'],
  ['Log in', 'https://acme.test/login'],
  ['Unsubscribe', 'https://verify.acme.test/confirm-unsubscribe'],
  ['View order confirmation', 'https://acme.test/orders/confirmation/123'],
  ['Privacy', 'https://acme.test/privacy'],
  ['Read our blog', 'https://acme.test/blog/password-tips'],
  ['Bestellbestätigung', 'https://acme.test/x'],
  ['Shop now', 'https://acme.test/sale?utm_campaign=order-confirmation-verify'],
  ['Preferences', 'https://auth.acme.test/p'],
  ['Verified by Acme', 'https://acme.test/'],
];

t.test('a link is told by its purpose, not by its host', async (t) => {
  for (const [label, href] of ASKING) t.same(findLinks('', [{ label, href }]), [href], `${label} ${href}`);
  for (const [label, href] of LEADING) t.same(findLinks('', [{ label, href }]), [], `${label} ${href}`);
});

t.test('a bare link is told by the words right before it', async (t) => {
  const text =
    'Reset your password: https://b.test/xyz\nunsubscribe https://a.test/out. Visit https://verify.a.test/home';
  t.same(findLinks(text, []), ['https://b.test/xyz']);
  t.same(findLinks('Verify: https://click.test/…', []), [], 'one that was shortened leads nowhere');
});

t.test('every link is there, and long addresses are numbers in the text', (t) => {
  const long = (name: string) => `https://click.test/${name}/${'x'.repeat(100)}`;
  const anchors = [
    { label: 'Read more', href: long('a') },
    { label: 'Verify', href: long('b') },
    { label: '', href: long('c') },
    { label: 'Home', href: 'https://c.test/' },
  ];
  const text = `Read more [${long('a')}] Verify [${long('b')}] Home [https://c.test/]\nSee ${long('d')}. (${long('a')})`;
  t.same(findAll(text, 'or https://e.test/x', anchors), {
    text: 'Read more [1] Verify [2] Home [https://c.test/]\nSee [3]. ([1])',
    links: [
      { number: 1, text: 'Read more', url: long('a'), action: false },
      { number: 2, text: 'Verify', url: long('b'), action: true },
      { number: null, text: null, url: long('c'), action: false },
      { number: null, text: 'Home', url: 'https://c.test/', action: false },
      { number: 3, text: null, url: long('d'), action: false },
      { number: null, text: null, url: 'https://e.test/x', action: false },
    ],
  });
  t.end();
});

t.test('an address ends where it ends, in any script', (t) => {
  const forms: [text: string, url: string][] = [
    ['See https://x.test/wiki/Rome_(city).', 'https://x.test/wiki/Rome_(city)'],
    ['(see https://x.test/a_(b)) or [it](https://x.test/c)', 'https://x.test/a_(b)'],
    ['https://x.test/?a[]=1&b[]=2', 'https://x.test/?a[]=1&b[]=2'],
    ['[https://x.test/a]b', 'https://x.test/a'],
    ['请点击https://x.test/verify?t=1，完成验证', 'https://x.test/verify?t=1'],
    ['詳細は「https://x.test/a」をご覧ください。', 'https://x.test/a'],
    ['https://x.test/aをご覧', 'https://x.test/a'],
    ['https://x.test/a에서 확인', 'https://x.test/a'],
    ['https://x.test/wiki/東京?a=b と', 'https://x.test/wiki/東京?a=b'],
    ['https://例え.test/über', 'https://例え.test/über'],
    ['https://www.例え.テスト と', 'https://www.例え.テスト'],
    ['[https://x.test/wiki/東京]', 'https://x.test/wiki/東京'],
    ['[a](https://x.test/東京)', 'https://x.test/東京'],
    ['https://x.test/東京_(曖昧) と', 'https://x.test/東京_(曖昧)'],
    ['https://x.test/東京.pdf', 'https://x.test/東京.pdf'],
  ];
  for (const [text, url] of forms) t.equal(findAll(text, '', []).links[0]?.url, url, text);
  t.same(findCodes(['请访问https://x.test/a，验证码：664226。'], ''), ['664226'], 'a code behind an address');
  t.match(toSnippet(`请访问https://x.test/a，${'好'.repeat(50)}`), /，好{50}$/, 'and the rest of its sentence');
  t.end();
});
