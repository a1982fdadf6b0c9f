import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t from 'tap';
import { readReply, splitReply } from '../../../../src/mail/text/reply-text.ts';
import { processorMs } from '../../../harness/processor-ms.ts';

const replyText = (text: string): string => readReply(text).replyText;
const answersOneByOne = (text: string): boolean => readReply(text).answersOneByOne;

const DATA = process.env.POSTROOM_TEST_DATA ?? resolve(import.meta.dirname, '../../../../../shared/data');
const FOLDER = join(DATA, 'github-reply');
const missing = existsSync(FOLDER)
  ? false
  : `no ${FOLDER}: set POSTROOM_TEST_DATA to the folder that holds the corpora`;

t.test('leaves what was written anew', async (t) => {
  const histories = {
    English: 'On Tue, 1 Sep 2026 at 12:00, Ann <ann@example.org> wrote:',
    'English, over two lines': 'On Tue, 1 Sep 2026 at 12:00, Ann Example of the Long Name\n<ann@example.org> wrote:',
    German: 'Am 01.09.2026 um 12:00 schrieb Ann <ann@example.org>:',
    French: 'Le mar. 1 sept. 2026 à 12:00, Ann <ann@example.org> a écrit :',
    Spanish: 'El mar, 1 sept 2026 a las 12:00, Ann (<ann@example.org>) escribió:',
    Italian: 'Il giorno mar 1 set 2026 alle ore 12:00 Ann <ann@example.org> ha scritto:',
    Dutch: 'Op di 1 sep 2026 om 12:00 schreef Ann <ann@example.org>:',
    Swedish: 'Den tis 1 sep. 2026 kl 12:00 skrev Ann <ann@example.org>:',
    Portuguese: 'Em ter., 1 de set. de 2026 às 12:00, Ann <ann@example.org> escreveu:',
    Polish: 'W dniu 1.09.2026 o 12:00, Ann pisze / napisał:',
    Chinese: '在 2026年9月1日，Ann <ann@example.org> 写道：',
  };
  for (const [language, line] of Object.entries(histories)) {
    t.equal(replyText(`Thanks!\n\n${line}\n\n> old\n> older\n`), 'Thanks!', language);
    t.equal(replyText(`Thanks!\n\n${line}\n\nold\nolder\n`), 'Thanks!', `${language}, not marked as quoted`);
  }
  const blocks = [
    '-----Original Message-----\nFrom: Ann',
    '-----Ursprüngliche Nachricht-----\nVon: Ann',
    'From: Ann <ann@example.org>\nSent: Tuesday\nTo: Bob\nSubject: x\n\nold',
    '________________________________\nVon: Ann\nGesendet: Dienstag\nAn: Bob\nBetreff: x\n\nold',
    '---------- Forwarded message ---------\nFrom: Ann\nDate: Tue\nSubject: x\n\nold',
    '-------- Weitergeleitete Nachricht --------\nBetreff: x\n\nold',
    'Begin forwarded message:\n\nFrom: Ann\nSubject: x\nTo: Bob\n\nold',
    '*De :* Ann\n*Envoyé :* mardi\n*À :* Bob\n*Objet :* x\n\nold',
  ];
  for (const block of blocks)
    t.equal(replyText(`Thanks!\r\n\r\n${block.replaceAll('\n', '\r\n')}`), 'Thanks!', block.slice(0, 20));
});

t.test('an attribution that is folded is left out in any language', (t) => {
  const folded = [
    'Am Di., 1. Sept. 2026 um 12:00 Uhr schrieb Support <\nsupport-desk@acme.agents.example.org>:',
    'Op di 1 sep 2026 om 12:00 schreef Support <\nsupport-desk@acme.agents.example.org>:',
    'tirs. 1. sep. 2026 kl. 12:00 skrev Support <\nsupport-desk@acme.agents.example.org>:',
    'wt., 1 wrz 2026 o 12:00 Support <support-desk@acme.agents.example.org>\nnapisał(a):',
    'út 1. 9. 2026 v 12:00 odesílatel Support <\nsupport-desk@acme.agents.example.org> napsal:',
    'вт, 1 сент. 2026 г. в 12:00, Support <support-desk@acme.agents.example.org>:',
    'Support <support-desk@acme.agents.example.org> ezt írta (időpont: 2026.\nszept. 1., K, 12:00):',
  ];
  for (const line of folded) t.equal(replyText(`Yes.\n\n${line}\n\n> old\n> older\n`), 'Yes.', line);
  t.equal(replyText('Yes.\nAsk bob@x.test:\n> old\n'), 'Yes.\nAsk bob@x.test:', 'an address alone is none');
  t.end();
});

t.test('keeps replies between the quotes, and quotes of speech', async (t) => {
  const text = 'On 1 Sep, Ann wrote:\n> one?\n\nyes\n\n> two?\n\nno\n';
  t.equal(replyText(text), 'yes\n\nno');
  t.equal(replyText('On page 3 it says:\nread me'), 'On page 3 it says:\nread me');
  t.equal(replyText('From: here it is easy\nto go on'), 'From: here it is easy\nto go on');
});

t.test('knows answers to several quotes from a reply below or above one', async (t) => {
  const wrote = 'On Mon, 2 Nov 2026 at 10:00, Ann <a@b.test> wrote:';
  for (const text of [
    `${wrote}\n> Monday?\nNo.\n\n> Tuesday?\n> Wednesday?\nYes.\n`,
    `Hi,\n\n> one\nyes\n> two\nno\n\n-- \nAnn\n`,
    '> one\n\n> still one\nyes\n> two\nno\n> three\n',
  ]) {
    t.ok(answersOneByOne(text), text);
  }
  for (const text of [
    `Yes.\n\n${wrote}\n> Monday?\n>\n> Tuesday?\n`,
    `Hi,\n\n${wrote}\n> Monday?\n\n> Tuesday?\n\nYes to both.\n\nAnn`,
    `Yes.\n\n${wrote}\n> No.\n>\n> On Sun, 1 Nov 2026 at 10:00,\n> Bob <b@b.test> wrote:\n>> Monday?\n`,
    '> one\nyes\n\n> the rest\n',
    'Hello\n',
    '',
  ]) {
    t.notOk(answersOneByOne(text), text);
  }
});

t.test('drops signatures', async (t) => {
  t.equal(replyText('Hi\n-- \nAnn\nCEO'), 'Hi');
  t.equal(replyText('Hi -- not one\n\nbye'), 'Hi -- not one\n\nbye');
  for (const line of [
    'Sent from my iPhone',
    'Von meinem iPhone gesendet',
    'Envoyé de mon iPhone',
    'Get Outlook for iOS',
    'Sent via Superhuman ( https://sprh.mn/?vip=a@b.test )',
    'Sent from Outlook',
    'Sent from Mailspring',
    'Sent with Tuta',
    'Gesendet von meinem OnePlus',
    'Envoyé de mon Oppo',
  ]) {
    t.equal(replyText(`Hi\n\n${line}\n\nOn 1 Sep, Ann wrote:\n> x`), 'Hi', line);
  }
});

t.test('hides nothing that a person wrote', async (t) => {
  const whole = [
    'Please book:\n\nFrom: Berlin\nTo: Hamburg\nDate: 5 March\nPassengers: 2\n\nUse my card.',
    'Bitte buchen:\n\nVon: Berlin\nAn: Hamburg\nDatum: 5. März',
    'Please send this:\nFrom: me\nTo: Bob\nSubject: Lunch\n\nAt noon?',
    'My answers are in red below.\n\nFrom: Ann <a@b.test>\nSent: Monday\nTo: Bob\nSubject: x\n\nWhen? At noon.',
    'Siehe unten.\n\nAm 16.11.2026 um 10:00 schrieb Ann <a@b.test>:\n\nWann? Mittags.',
    'Minutes\n\nDate: Monday\nFrom: 10:00\nTo: 11:00\nSubject: Budget\n\nWe agreed.',
    'Hello,\nOn Friday at 10:30 she wrote:\n"I am late."\nWhat now?',
    'Hello,\nOn page 3 of the contract you wrote:\nPayment in 30 days.\nI disagree.',
    'Guten Tag,\nam 12.5. schrieben Sie:\n"Lieferung Freitag"\nDas passt uns nicht.',
    'Hi,\n______________________\nPlease answer by Friday.',
    'Hi Anna,\n\nSent via DHL on Monday.',
    'Hallo,\n\nvon meinem Chef genehmigt.',
    'Please order:\n\n- Coffee',
    'We need\n\n- Milk\n\n- Bread',
    'Hi,\n\n>From my side all is good.',
  ];
  for (const text of whole) t.equal(replyText(text), text);
  t.equal(replyText('Please order:\n\n\n- Coffee'), 'Please order:\n\n- Coffee');
  const own = 'See the figures below.\n\nItem 1\n\n';
  t.equal(replyText(`${own}From: Ann <a@b.test>\nSent: Monday\nTo: Bob\nSubject: x\n\nold`), own.trim());
  const between =
    'See below.\n\n-- \nJane\n\nOn Tue, 3 Nov 2026 at 10:00, Ann <a@b.test> wrote:\n\n> When?\n\nOn Monday.\n\n> Where?\n\nIn Rome.';
  t.same(splitReply(between), {
    own: 'See below.\n\nOn Monday.\n\nIn Rome.',
    quoted: 'On Tue, 3 Nov 2026 at 10:00, Ann <a@b.test> wrote:\n\n> When?\n\n> Where?',
    signature: 'Jane',
  });
  t.same(splitReply('Hello\n\n-- \nAnn\nAcme\n\nP.S. Use the back door.'), {
    ...{ own: 'Hello\n\nP.S. Use the back door.', quoted: '', signature: 'Ann\nAcme' },
  });
  const footer = '_______________________________________________\nUsers mailing list\nUsers@a.test';
  t.equal(replyText(`Yes.\n\n- Jane\n\n${footer}`), 'Yes.');
});

t.test('takes as many lines as a mail may have', async (t) => {
  for (const mark of ['-- ', '-----Original Message-----']) {
    t.equal(replyText(`Hi\n${mark}\n${'a\n'.repeat(200_000)}`), 'Hi');
  }
  const begin = processorMs();
  t.equal(replyText(`Hi\n${'-- \nAnn\n> a\n'.repeat(40_000)}`), 'Hi');
  const ms = processorMs() - begin;
  t.ok(ms < 2_000, `each signature is read once: ${ms} ms`);
});

t.test('loses no words where all of it looks like history', async (t) => {
  t.equal(replyText('> only this\n'), '> only this');
  t.equal(replyText(''), '');
});

t.test("github's examples", { skip: missing }, async (t) => {
  const reply = (name: string): string => replyText(readFileSync(join(FOLDER, `${name}.txt`), 'utf8'));
  t.match(reply('email_1_1'), /^Hi folks\n[\s\S]*Java HTTP API\.$/);
  t.match(reply('email_1_2'), /^Hi,\n\nYou can list the keys/);
  t.notMatch(reply('email_1_2'), />|Abhishek Kona wrote/);
  t.equal(reply('email_1_3'), 'Oh thanks.\n\nHaving the function would be great.');
  t.equal(reply('email_1_4'), "Awesome! I haven't had another problem with it.");
  t.match(reply('email_1_5'), /on\nfor a while\.$/);
  t.match(reply('email_1_6'), /^I get proper rendering as well\./);
  t.equal(reply('email_1_7'), ':+1:');
  t.equal(reply('email_1_8'), 'I will reply under this one\n\nand under this.');
  t.equal(reply('email_2_1'), 'Outlook with a reply');
  t.equal(reply('email_2_2'), 'Outlook with a reply directly above line');
  t.equal(reply('email_2_3'), 'Outlook with a reply directly above line');
  for (const name of ['email_BlackBerry', 'email_iPhone', 'email_multi_word_sent_from_my_mobile_device']) {
    t.equal(reply(name), 'Here is another email', name);
  }
  t.match(reply('email_sent_from_my_not_signature'), /mobile phone\.$/);
  t.match(reply('email_sig_delimiter_in_middle_of_line'), /kthxbai$/);
  t.equal(reply('correct_sig'), 'this is an email with a correct -- signature.');
  t.match(reply('email_one_is_not_on'), /when I run\.\.\.$/);
  t.match(reply('greedy_on'), /^On your remote host[\s\S]*is not working\.$/);
  t.match(reply('pathological'), /^I think you're onto something[\s\S]*a computer\.$/);
  t.match(reply('email_bullets'), /- and another$/);
});

t.test('attributions of Gmail in Japanese and Korean, and of Outlook on telephones', async (t) => {
  const quoted = '\n\n> Noon?\n';
  const forms: [text: string, reply: string][] = [
    [`了解です。\n\n2026年11月16日(月) 10:00 Carol Example <carol@remote.test>:${quoted}`, '了解です。'],
    [`了解です。\n\n2026年11月16日(月) 10:00 Carol Example <\ncarol@remote.test>:${quoted}`, '了解です。'],
    [`네.\n\n2026년 11월 16일 (월) 오전 10:00, Carol <carol@remote.test>님이 작성:${quoted}`, '네.'],
    ['はい\n\n差出人: Carol <c@d.test>\n送信日時: 2026年\n宛先: ann\n件名: x\n\nold', 'はい'],
    [
      'Yes.\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n________________________________\nFrom: Carol <c@d.test>\nSent: Monday\nTo: Ann\nSubject: x\n\nNoon?',
      'Yes.',
    ],
    [
      'Yes.\n\nGet Outlook for iOS [https://aka.ms/o0ukef]\n\nFrom: Carol <c@d.test>\nDate: Monday, 16 November 2026 at 10:00\nTo: Ann\nSubject: x\n\nNoon?',
      'Yes.',
    ],
    ['Yes.\n\nOn Mon, Nov 16, 2026 at 10:00 AM +0100, "Carol" <c@d.test> wrote:\n\n\nNoon?', 'Yes.'],
  ];
  for (const [text, reply] of forms) t.equal(replyText(text), reply, text);
  const list = 'Write to:\n2026 is the year of <a@b.test>:\nand more';
  t.equal(replyText(list), list, 'a line that ends in an address begins no history by itself');
});

t.test('history as mail programs of one country write it', (t) => {
  const forms = [
    '16.11.2026, 10:00, "Carol" <c@d.test>:\n\n> old',
    'Понедельник, 16 ноября 2026, 10:00 +03:00 от Carol <c@d.test>:\n \n>old',
    '发件人：Carol <c@d.test>\n发送时间：2026年11月16日(星期一) 10:00\n收件人：Ann <a@b.test>\n主　题：x\n\nold',
    '--------- 원본 메일 ---------\n보낸사람: Carol <c@d.test>\n받는사람 : Ann\n날짜: 2026\n제목: x\n\nold',
    'Gesendet: Montag, 16. November 2026 um 10:00 Uhr\nVon: "Carol" <c@d.test>\nAn: ann@b.test\nBetreff: x\n\nold',
    '-----Original-Nachricht-----\nBetreff: x\nDatum: 2026-11-16T10:00:00+0100\nVon: "Carol" <c@d.test>\nAn: ann\n\nold',
    'De: Carol <c@d.test>\nEnviado el: lunes\nPara: Ann\nAsunto: x\n\nold',
    'Den tis 3 nov. 2026 kl 10.00 skrev Carol:\n\nold',
    'De: Carol\nEnviada em: segunda\nPara: Ann\nAssunto: x\n\nold',
    'От: Carol\nОтправлено: понедельник\nКому: Ann\nТема: x\n\nold',
    'Від: Carol\nНадіслано: понеділок\nКому: Ann\nТема: x\n\nold',
    'Kimden: Carol\nGönderilme tarihi: Pazartesi\nKime: Ann\nKonu: x\n\nold',
    'Od: Carol\nOdoslané: pondelok\nKomu: Ann\nPredmet: x\n\nold',
    'Kimden: Carol\nGönderilme: Pazartesi\nKime: Ann\nKonu: x\n\nold',
    'Feladó: Carol\nElküldve: hétfő\nCímzett: Ann\nTárgy: x\n\nold',
    'Από: Carol\nΣτάλθηκε: Δευτέρα\nΠρος: Ann\nΘέμα: x\n\nold',
    'מאת: Carol\nנשלח: יום שני\nאל: Ann\nנושא: x\n\nold',
    'من: Carol\nتم الإرسال: الاثنين\nإلى: Ann\nالموضوع: x\n\nold',
    'Từ: Carol\nĐã gửi: Thứ Hai\nĐến: Ann\nChủ đề: x\n\nold',
    'Dari: Carol\nDikirim: Senin\nKepada: Ann\nSubjek: x\n\nold',
    'จาก: Carol\nส่ง: วันจันทร์\nถึง: Ann\nเรื่อง: x\n\nold',
    'Šalje: Carol\nPoslano: ponedjeljak\nPrima: Ann\nPredmet: x\n\nold',
    'De la: Carol\nTrimis: luni\nCătre: Ann\nSubiect: x\n\nold',
    'От: Carol\nИзпратено: понеделник\nДо: Ann\nОтносно: x\n\nold',
    'De: Carol\nEnviat el: dilluns\nPer a: Ann\nTema: x\n\nold',
    'Od: Carol\nPoslano: ponedeljek\nZa: Ann\nZadeva: x\n\nold',
    'Nuo: Carol\nIšsiųsta: pirmadienis\nKam: Ann\nTema: x\n\nold',
    'Saatja: Carol\nSaadetud: esmaspäev\nAdressaat: Ann\nTeema: x\n\nold',
    'Feladó: Carol\nKüldve: hétfő\nCímzett: Ann\nTárgy: x\n\nold',
    '寄件人: Carol\n日期: 2026年11月16日\n收件人: Ann\n主旨: x\n\nold',
    'من: Carol\n\u200f\u200fتم الإرسال: الاثنين\nإلى: Ann\nالموضوع: x\n\nold',
    '\u202bבתאריך יום ב׳, 16 בנוב׳ 2026 ב-10:00 מאת \u202aCarol\u202c\u200f <\u202ac@d.test\u202c\u200f>:\u202c\n\n> old',
    'در تاریخ دوشنبه ۱۶ نوامبر ۲۰۲۶،\u200f ۱۰:۰۰ Carol <c@d.test> نوشت:\n\n> old',
    '-----Carol <c@d.test> wrote: -----\nTo: Ann\nFrom: Carol\n\nold',
    '---- On Mon, 16 Nov 2026 10:00:00 +0100 Carol <c@d.test> wrote ----\n\nold',
    '---- On Mon, 16 Nov 2026 10:00:00 +0100 Carol <c@d.test> wrote ---\n\nold',
    '---- Am Mo., 16 Nov. 2026 10:00:00 +0100 Carol <c@d.test> schrieb ----\n\nold',
  ];
  for (const history of forms) t.equal(replyText(`Yes.\n\n${history}`), 'Yes.', history);
  t.end();
});

t.test('what telephones and programs of one country put at the end', (t) => {
  const lines = [
    'Von meinem/meiner Galaxy gesendet',
    'Holen Sie sich Outlook für iOS<https://aka.ms/o0ukef>',
    'iOS 用 Outlook を入手<https://aka.ms/o0ukef>',
    'Envoyé à partir d’Outlook pour iOS',
    'Inviato dal mio Galaxy',
    'Wysłano z mojego Galaxy',
    'Надіслано з iPhone',
    'Odesláno z iPhonu',
    'Lähetetty iPhonesta',
    'Sent with [Proton Mail](https://proton.me/mail/home) secure email.',
    'Sent from Mail<https://go.microsoft.com/fwlink/?LinkId=550986> for Windows',
  ];
  for (const line of lines) t.equal(replyText(`Yes.\n\n${line}`), 'Yes.', line);
  const own = 'See the page.\n\nOutlook is explained at (https://example.org/outlook)';
  t.equal(replyText(own), own, 'a link of the person is kept');
  t.end();
});

t.test('a reply is split in three', (t) => {
  const text = 'Yes.\n\nOn Tue, 3 Nov 2026, Kari <k@a.test> wrote:\n> old\n\n-- \nKari Lunde\nClaims';
  const quoted = 'On Tue, 3 Nov 2026, Kari <k@a.test> wrote:\n> old';
  t.same(splitReply(text), { own: 'Yes.', quoted, signature: 'Kari Lunde\nClaims' });
  const below = 'Yes.\n-- \nKari\n\nOn Tue, 3 Nov 2026, Ann <a@a.test> wrote:\n\n> old\n> older';
  t.same(splitReply(below), {
    ...{ own: 'Yes.', signature: 'Kari' },
    quoted: 'On Tue, 3 Nov 2026, Ann <a@a.test> wrote:\n\n> old\n> older',
  });
  t.same(splitReply('Yes\n\nSent from my iPhone'), { own: 'Yes', quoted: '', signature: 'Sent from my iPhone' });
  t.same(splitReply('> all of it\n> is old'), { own: '> all of it\n> is old', quoted: '', signature: '' });
  t.end();
});
