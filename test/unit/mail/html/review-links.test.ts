/** Where links lead, beside what they read as. */

import t from 'tap';
import { reviewLinks } from '../../../../src/mail/html/review-links.ts';

const review = (html: string) => reviewLinks(html).links;

t.test('the address stands beside the text, with the host in ASCII', async (t) => {
  t.same(review('<a href=" https://EXAMPLE.com/a\n">Read  <b>on</b></a>'), [
    { label: 'Read on', address: 'https://example.com/a', host: 'example.com', differs: true, misleads: false },
  ]);
  t.match(review('<a href="https://b\u00fccher.example">b\u00fccher.example</a>'), [
    { address: 'https://xn--bcher-kva.example/', host: 'xn--bcher-kva.example', differs: true, misleads: false },
  ]);
  t.match(review('<a href="https://example.com/">example.com</a>'), [{ differs: false, misleads: false }]);
  t.match(review('<a href="mailto:a@example.com?subject=x">a@example.com</a>'), [
    { host: 'example.com', differs: true, misleads: false },
  ]);
});

t.test('a label that names another host misleads', async (t) => {
  const misleads = (label: string, href: string) => review(`<a href="${href}">${label}</a>`)[0]?.misleads;
  t.equal(misleads('bank.example', 'https://evil.example/login'), true);
  t.equal(misleads('https://bank.example/', 'https://bank.example@evil.example/'), true);
  t.equal(misleads('bank.example', 'https://bank.example.evil.example/'), true);
  t.equal(misleads('b\u0430nk.example', 'https://bank.example/'), true, 'a Cyrillic letter');
  t.equal(misleads('a@bank.example', 'mailto:a@evil.example'), true);
  t.equal(misleads('bank.example', 'https://www.bank.example/'), false);
  t.equal(misleads('invoice.pdf', 'https://bank.example/1'), false);
  t.equal(misleads('Sign in', 'https://evil.example/'), false);
  t.equal(misleads('bank.example', '/relative'), true);
});

t.test('whatever leads somewhere is listed once', async (t) => {
  const html = `<a href="https://image.example/"><img src="cid:1" alt="A picture"></a><a href="https://none.example/"></a>
    <a href="https://twice.example/">T</a><a href="https://twice.example/">T</a>`;
  t.same(
    review(html).map(({ label, address }) => [label, address]),
    [
      ['A picture', 'https://image.example/'],
      ['', 'https://none.example/'],
      ['T', 'https://twice.example/'],
    ],
  );
});

t.test('a host in a label is found however it is written', async (t) => {
  const link = (label: string) => review(`<a href="https://evil.example/">${label}</a>`)[0];
  for (const label of [
    'ba&shy;nk.exa&shy;mple',
    'bank\u200b.\u2060example',
    'bank\uff0eexample',
    'bank\uff61example',
    '\uff42\uff41\uff4e\uff4b.example',
    `${' \n'.repeat(400)}bank.example`,
    `${'\u200b'.repeat(400)}<b>bank.example</b>`,
    `${' '.repeat(400)}<i> </i>bank<wbr>.example`,
  ]) {
    t.equal(link(label)?.misleads, true, label.trim());
  }
  t.equal(link(`${'\u00ad'.repeat(400)}Pay`)?.label, 'Pay');
});

t.test('the work and the list are bounded', async (t) => {
  const many = Array.from({ length: 205 }, (_, n) => `<a href="https://${n}.example/">x</a>`).join('');
  const { links, more, isWhole } = reviewLinks(many);
  t.same([links.length, more, isWhole], [200, 5, true]);
});
