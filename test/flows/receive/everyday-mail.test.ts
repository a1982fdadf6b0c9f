/** Ten mails of everyday, read as agents read them: over REST, over MCP, and by search. */

import t from 'tap';
import { everydayMails } from '../../everyday/mails.ts';
import { startInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

interface Expected {
  /** The text, or the lines that it begins with. */
  text: string;
  replyText?: string;
  codes?: string[];
  links?: number;
  /** What a person does not see. */
  hidden?: RegExp;
  /** Words by which the mail is found. */
  found: string;
}

const OUTLOOK_REPLY = `Hi Ann,

please see the figures below. Two points:

1. Travel is over budget
2. Tooling is under

Item\tBudget\tActual
Travel (rail only)\t4 000\t4 310
Tooling\t2 500

Kind regards
Dave`;

const EXPECTED: Record<string, Expected> = {
  airline: {
    text: `Cirrus Air [1]
View in browser [2]

Your booking is confirmed
Dear Ms Example,

thank you for flying with us. Booking reference: X7K9P2

Flight\tFrom\tTo\tDeparture\tSeat
CX 123\tFRA Frankfurt\tJFK New York\t20 Nov 2026, 10:25\t14A
CX 124\tJFK New York\tFRA Frankfurt\t27 Nov 2026, 18:40

Baggage

1 piece up to 23 kg

Passengers

- Ann Example
- Bob Example

Fare\t€ 412.00
Taxes and fees\t€ 187.36
Total\t€ 599.36

Check in online [3]

Cirrus Air AG, Flughafenring 1, 60549 Frankfurt, Germany · Imprint [4] | Privacy [5]`,
    hidden: /Check in online from|does not support/,
    found: '"CX 123" X7K9P2',
  },
  bank: {
    text: `Nordbank
Bestätigen Sie Ihre Überweisung
Guten Tag Ann Example,

Ihr Bestätigungscode lautet:

5\t5\t2\t2\t1\t4
Empfänger\tBob Example
IBAN\tDE89 3704 0044 0532 0130 00
Betrag\t1.250,00 EUR
Gültig bis\t16.11.2026, 10:00 Uhr

Kundennummer 48291377. Geben Sie den Code niemals weiter.

Sicherheitshinweise [https://www.nordbank.remote.test/sicherheit] | Hotline

Nordbank AG, Musterstraße 1, 10115 Berlin`,
    codes: ['552214'],
    hidden: /Use this code/,
    found: 'Empfänger logo',
  },
  shop: {
    text: `New in [https://shop.remote.test/new] Kitchen [https://shop.remote.test/kitchen] Sale [https://shop.remote.test/sale]

Thanks for your order!

Hi Ann, we’re getting order #100482913 ready.

View your order [https://shop.remote.test/orders/100482913?key=7ab9c1e0aa77]

or visit our store [https://shop.remote.test/]

Order summary

Blue kettle × 1
1.7 l, steel

$42.00

Tea towel × 2\t$9.90

Subtotal\t$61.80
Shipping\t$5.00
Total\t$66.80 USD

Customer information

Shipping address

Ann Example
548 Market St
San Francisco, CA 94105
United States

Payment

Visa ending in 4242

Use code THANKS10 for 10% off your next order.`,
    hidden: /on its way|on your phone/,
    found: 'kettle subtotal',
  },
  parcel: {
    text: `PARCEL EXPRESS
Hallo Ann Example,
dein Päckchen von Kettle & Co. kommt morgen, 17.11. zwischen 11:00 und 13:00 Uhr.

Sendungsnummer\t00340434161094042557
Status\tIn Zustellung
Ablageort\tGarage

Nicht zu Hause? Zustellung ändern [https://parcel.remote.test/track?id=00340434161094042557]

Abhol-PIN für die Packstation: 4071`,
    codes: ['4071'],
    hidden: /Suchmaschinen/,
    found: 'Päckchen Ablageort',
  },
  newsletter: {
    text: `The Weekly Envelope

Issue 42, 16 November 2026

A lighthouse at dusk [1]

Tabs are back

Cells are parted again, and nobody has to guess where a column ends. Read more [2]

Boundaries

Why a line that begins with two dashes`,
    hidden: /This week: tabs/,
    found: 'lighthouse envelope',
  },
  'sign-in': {
    text: `Hi ann,

Someone asked to sign in to Forge as you. Enter this code when prompted, or press the button.

664 226

Verify your device [1]

This code ends in 10 minutes. Not you? Get help [https://forge.remote.test/help].

Forge, Inc. • 88 Colin P Kelly Jr Street • San Francisco, CA 94107`,
    codes: ['664226'],
    links: 1,
    found: 'Forge prompted',
  },
  calendar: {
    text: `Invitation: Quarterly review
When: 2026-11-20 14:00 to 15:00 (Europe/Berlin)
Where: Room 4, second floor
Organizer: Carol Example <carol@remote.test>
Attendees: ann@acme.agents.box.test

Bring the figures.

Dial-in: +49 69 123456`,
    found: '"second floor" invite.ics',
  },
  'mailing-list': {
    text: `Hi all,

On Mon, Nov 16, 2026 at 09:12:44AM +0100, Dave Example wrote:
>> Should the parser take a bare CR?  I would rather it refused.
>
> It should refuse, as RFC 5321 says in section 2.3.8, and the test that we have shows why.

Agreed; patch below, and please look at the two places that still skip it.

--- a/parse.c`,
    replyText: `Hi all,

Agreed; patch below, and please look at the two places that still skip it.

--- a/parse.c
+++ b/parse.c
@@ -1,2 +1,2 @@
-  if (c == '\\r') skip();
+  if (c == '\\r') refuse();

Carol`,
    found: 'bare refuse patch',
  },
  outlook: {
    text: `${OUTLOOK_REPLY}

From: Ann <ann@acme.agents.box.test>
Sent: Monday, 16 November 2026 08:55
To: Dave Example <dave@remote.test>
Subject: Figures

Could you send me the figures?`,
    replyText: OUTLOOK_REPLY,
    found: 'tooling actual',
  },
  iphone: {
    text: 'Running late, see you at 13:30.',
    replyText: 'Running late, see you at 13:30.\n\nHere is the photo:',
    found: 'IMG_4711.jpeg',
  },
};

t.test('everyday mail reads as a person sees it', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  await using mcp = await connectMcp(instance, instance.agents.ann);
  for (const [name, raw] of Object.entries(everydayMails)) {
    await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], raw });
    const listed = (await ann.messages.list({})).messages[0];
    const id = listed?.id ?? '';
    const message = await ann.messages.get({ id });
    const expected = EXPECTED[name];
    if (!expected) throw new Error(`Nothing is expected of ${name}`);

    t.equal(message.text.slice(0, expected.text.length), expected.text, `${name}: text`);
    if (expected.replyText !== undefined) t.equal(message.reply_text, expected.replyText, `${name}: reply`);
    t.same(message.codes, expected.codes ?? [], `${name}: codes`);
    t.equal(message.links.filter(({ action }) => action).length, expected.links ?? 0, `${name}: links`);
    t.notMatch(listed?.snippet ?? '', /https?:|[\u034f\u200c]/, `${name}: snippet`);
    if (expected.hidden) {
      t.match(message.defects, ['hidden text left out'], `${name}: hidden`);
      for (const shown of [message.text, message.html ?? '', listed?.snippet ?? '']) t.notMatch(shown, expected.hidden);
    }
    const hits = (await ann.search.search({ q: expected.found })).hits.map(({ message_id }) => message_id);
    t.same(hits, [id], `${name}: found by ${expected.found}`);

    const text = String((await mcp.call('get_message', { message_id: id })).told.text);
    t.ok(text.includes(expected.text), `${name}: text over MCP`);
    const reply = String((await mcp.call('get_message', { message_id: id, part: 'reply_text' })).told.reply_text);
    t.ok(reply.includes(message.reply_text), `${name}: reply text over MCP`);
    const html = String(
      (await mcp.call('get_message', { message_id: id, part: 'html', max_chars: 100_000 })).told.html,
    );
    if (message.html !== null) t.ok(html.includes(message.html), `${name}: HTML over MCP`);
  }
  t.same(instance.faults, []);
});
