import t from 'tap';
import { readHtml } from '../../../../src/mail/html/read-html.ts';
import { findLinks as findAll } from '../../../../src/mail/text/mail-links.ts';
import { findCodes } from '../../../../src/mail/text/one-time-codes.ts';
import { linesOf } from '../../../harness/lines.ts';

const findLinks = (...[text, anchors]: [string, Parameters<typeof findAll>[2]]): string[] =>
  findAll(text, '', anchors).links.flatMap(({ url, action }) => (action ? [url] : []));

t.test('finds codes next to the word that names them', async (t) => {
  const found: [text: string, codes: string[]][] = [
    ['Your verification code is 482913. It expires in 10 minutes.', ['482913']],
    ['482913 is your login code', ['482913']],
    ['G-884123 is your Google verification code.', ['G-884123']],
    ['Your code:\n\nABC-123\n\nOrder #556677', ['ABC-123']],
    ['Enter 123 456 to verify your address', ['123456']],
    ['Security code: 5521-9934', ['5521-9934']],
    ['One-time passcode\n\nX7K9P2\n', ['X7K9P2']],
    ['Your PIN is 2023', ['2023']],
    ['Your one-time password is 0042. Ref: 991122', ['0042']],
    ['Ihr Bestätigungscode lautet 771299', ['771299']],
    ['您的验证码是 884422，请勿泄露', ['884422']],
    ['您的验证码是 884422，如有疑问请致电95588', ['884422']],
    ['・認証コード：vM8xw', ['vM8xw']],
    ['Username: ann99\nYour login code:\n\nk7f9qx', ['k7f9qx']],
    ['Here is the Steam Guard code you need to log in to account ann:\n\nKDGTX\n\nThis email', ['KDGTX']],
    ['Please enter this verification code to get started on X:\n\nz3qk2p4w\n', ['z3qk2p4w']],
    ['You can use the login verification code directly:\n\nf4dk2-9dk3k', ['f4dk2-9dk3k']],
    ['Gmail Forwarding Confirmation\n\nConfirmation code: 937482913\n\nTo allow', ['937482913']],
    ['Use this code to finish signing in: 482913', ['482913']],
    ['Your code is a8f3kq. It is valid for 30mins', ['a8f3kq']],
  ];
  for (const [text, codes] of found) t.same(findCodes([text], ''), codes, text);
  t.same(findCodes(['Your code is 111222'], 'Code: 333444'), ['333444', '111222'], 'the subject first');
  t.same(findCodes(['code 1234, again: code 1234'], ''), ['1234'], 'each once');
});

t.test('finds none in what is none', async (t) => {
  t.same(findCodes(['Password: as you chose it\n\nUser:\n\nann1234\n'], ''), []);
  t.same(findCodes(['Verify your account. Our SIREN is 552100554, our code policy 552100554'], ''), []);
  t.same(findCodes(['To verify your address, press the button:\n\nVERIFY\n'], ''), []);
  const none = linesOf`
    Meet me at 4711 Main
    Copyright 2025 Foo. Verify your account. Order 12345678
    In 2024 we verified 1500 users
    Call +1 415 555 2671 to verify
    Your zip code 90210
    Your reference code: 556677
    Verify sha256 by the code in base64
    Verification: 24hours
    人工热线：95588 验证码
    Use code SAVE2024 for a 20% discount
    promo code 8888, please verify
    Verify the payment of $4999 or 5999 EUR
    verification of invoice 20240117
    https://x.com/verify?code=123456
    verify 1234.5678 and 12:3456
  `;
  for (const text of none) t.same(findCodes([text], ''), [], text);
});

t.test('numbers of orders, customers and parcels are no codes beside one', async (t) => {
  const labels = {
    '認証コードは739205です。':
      'お問い合わせ番号 お問合せ番号 受付番号 ご注文番号 お客様番号 会員番号 伝票番号 追跡番号 予約番号',
    '您的验证码是 739205。': '订单号 订单编号 客户号 快递单号 会员编号',
    '您的驗證碼是 739205。': '訂單編號 客戶編號 單號',
    '인증번호는 739205 입니다.': '주문번호 고객번호 운송장번호 접수번호',
  };
  for (const [code, numbers] of Object.entries(labels)) {
    for (const label of numbers.split(' ')) {
      for (const between of [' ', '：', 'は', '【']) {
        const text = `${code}\n${label}${between}12345678`;
        t.same(findCodes([text], ''), ['739205'], text);
      }
    }
  }
});

t.test('finds links that want to be pressed', async (t) => {
  const html = `<a href="https://c.com/ls/click?u=1&amp;v=2"><b>Verify</b> email</a> <a href='https://d.com/help'>Help</a>
    <a href=javascript:alert(1)>Verify</a> <a href="https://d.com/magic-link?t=1">go</a> <a href="ftp://x.y/verify">x</a>`;
  const text =
    'Click https://a.com/verify?x=1. Or see https://a.com/home\nReset your password: https://b.co/xyz\nunsubscribe https://a.com/out';
  t.same(findLinks(text, readHtml(html).anchors), [
    'https://c.com/ls/click?u=1&v=2',
    'https://d.com/magic-link?t=1',
    'https://a.com/verify?x=1',
    'https://b.co/xyz',
  ]);
  t.same(findLinks('', []), []);
  t.equal(findLinks(Array.from({ length: 1_050 }, (_, i) => `https://a.com/verify/${i}`).join(' '), []).length, 1_000);
});
