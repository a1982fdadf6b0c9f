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
  const html = `<base href="https://base.example/"><a href="x">rel</a><a href="#y">down</a>
    <form action="https://form.example/"><p>Words</p><button formaction="https://button.example/">Go</button></form>
    <map><area href="https://area.example/" alt="Map"></map>
    <a href="https://image.example/"><img src="cid:1" alt="A picture"></a><a href="https://none.example/"></a>
    <a href="https://twice.example/">T</a><a href="https://twice.example/">T</a>`;
  t.same(
    review(html).map(({ label, address }) => [label, address]),
    [
      ['rel', 'https://base.example/x'],
      ['down', 'https://base.example/#y'],
      ['Go', 'https://button.example/'],
      ['Words', 'https://form.example/'],
      ['Map', 'https://area.example/'],
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

t.test('the base is the one that a browser takes', async (t) => {
  const addresses = (html: string) => review(html).map(({ address }) => address);
  const last = '<base href="https://b.example/"><a href="x">x</a>';
  t.same(addresses(`<template><base href="https://a.example/"></template>${last}`), ['https://b.example/x']);
  t.same(addresses(`<svg><base href="https://a.example/"></svg>${last}`), ['https://b.example/x']);
  t.same(addresses(`<base target="_blank">${last}`), ['https://b.example/x']);
  t.same(addresses(`<base href="https://a.example/">${last}`), ['https://a.example/x']);
  t.same(addresses(`<base href="https://">${last}`), ['x'], 'an invalid one counts as the first');
  t.same(addresses(`<base href="data:,">${last}`), ['x']);
  t.same(addresses('<base href="https://a.example/"><a href="">x</a><a href="#y">y</a><a name="z">z</a>'), [
    'https://a.example/',
    'https://a.example/#y',
  ]);
  t.same(addresses('<a href="">x</a><a href="#y">y</a>'), []);
  t.same(addresses('<a href="x">x</a><base href="https://a.example/">'), ['https://a.example/x'], 'of links before it');
});

t.test('the work and the list are bounded', async (t) => {
  const many = Array.from({ length: 205 }, (_, n) => `<a href="https://${n}.example/">x</a>`).join('');
  const { links, more, isWhole } = reviewLinks(many);
  t.same([links.length, more, isWhole], [200, 5, true]);
  const { isWhole: isCut } = reviewLinks(`${'<form action=x>y'.repeat(100_000)}`);
  t.equal(isCut, false);
});
