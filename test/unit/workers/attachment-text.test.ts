import { strToU8, zipSync } from 'fflate';
import iconv from 'iconv-lite';
import t from 'tap';
import { readAttachmentText } from '../../../src/workers/reading/attachment-text.ts';

const read = async (octets: Uint8Array | string, contentType = 'application/octet-stream', filename = 'a.bin') => {
  const task = { kind: 'attachment-text', octets: Buffer.from(octets), contentType, filename } as const;
  return readAttachmentText(task);
};
const textOf = async (...given: Parameters<typeof read>) => (await read(...given))?.text;

const zip = (parts: Record<string, string>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));

const relations = (...targets: string[]): string =>
  `<Relationships>${targets.map((target, at) => `<Relationship Id="rId${at + 1}" Target="${target}"/>`).join('')}</Relationships>`;

t.test('text in any charset, CSV, calendars and HTML', async (t) => {
  t.equal(await textOf(iconv.encode('größe', 'windows-1252'), 'text/plain; charset=windows-1252'), 'größe');
  t.equal(await textOf(iconv.encode('größe', 'utf-16le', { addBOM: true }), 'text/plain'), 'größe');
  t.equal(await textOf('a,b\r\n1,2\r\n', 'text/csv'), 'a,b\n1,2\n');
  t.match(await textOf('BEGIN:VCALENDAR\r\nSUMMARY:Tea', 'text/calendar; method=REQUEST'), /SUMMARY:Tea/);
  const html = '<p>Total: <b>12</b> <span style="display:none">IGNORE</span></p><table><tr><td>a<td>b</table>';
  const shown = await textOf(html, 'text/html');
  t.match(shown, /Total: 12/);
  t.match(shown, /a\tb/);
  t.notMatch(shown, /IGNORE/, 'what nobody sees is not read');
  t.match(await textOf(html, 'application/octet-stream', 'bill.HTM'), /Total: 12/);
});

t.test('attached mail is read as a mail program shows it, and names its files', async (t) => {
  const mail = [
    'From: Dave <dave@x.example>',
    'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from('Aus Köln.').toString('base64'),
    '--b',
    'Content-Type: application/pdf; name=bill.pdf',
    '',
    'x',
    '--b--',
  ].join('\r\n');
  const shown = 'From: Dave <dave@x.example>\nSubject: Grüße\nAttachments: bill.pdf\n\nAus Köln.';
  t.equal(await textOf(mail, 'message/rfc822', 'm.eml'), shown);
  t.equal(await textOf(mail, 'application/octet-stream', 'Saved.EML'), shown);
});

t.test('documents of Word: paragraphs, tables, notes, and nothing that is hidden or deleted', async (t) => {
  const docx = zip({
    'word/document.xml': `<?xml version="1.0" encoding="UTF-8"?><w:document><w:body>
      <w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t>Dear </w:t></w:r><w:r><w:tab/><w:t>Ann &amp; Bob</w:t></w:r></w:p>
      <w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>HIDDEN</w:t></w:r><w:del><w:r><w:delText>GONE</w:delText></w:r></w:del><w:r><w:t>Shown</w:t><w:br/><w:t>below</w:t></w:r></w:p>
      <w:tbl><w:tr><w:tc><w:p><w:r><w:t>Item</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Price</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
      <mc:AlternateContent><mc:Choice><w:p><w:r><w:t>Box</w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r><w:t>Box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>
      </w:body></w:document>`,
    'word/footnotes.xml':
      '<w:footnotes><w:footnote><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>',
    'word/media/image1.png': 'x',
  });
  t.equal(
    await textOf(docx),
    'Dear \tAnn & Bob\nShown\nbelow\nItem\tPrice\nBox\n\n# Footnotes\nA note.'.replace('Dear \t', 'Dear\t'),
  );
});

t.test('workbooks: durations beyond a day, and sums without errors of rounding', async (t) => {
  const cell = (value: string, style: number) => `<c s="${style}"><v>${value}</v></c>`;
  const values = [
    cell('1.6666666666666667', 1),
    cell('-0.5', 2),
    cell('107.60000000000001', 0),
    cell('1234567890123456', 0),
  ];
  const parts = {
    'xl/workbook.xml': '<workbook><sheets><sheet name="One" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations('sheet.xml'),
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[h]:mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="46"/></cellXfs></styleSheet>',
    'xl/sheet.xml': `<worksheet><sheetData><row>${values.join('')}</row></sheetData></worksheet>`,
  };
  t.equal(await textOf(zip(parts)), '# One\n40:00:00\t-12:00:00\t107.6\t1234567890123456');
});

t.test('workbooks: sheets in their order, dates as dates, gaps as gaps', async (t) => {
  const xlsx = zip({
    'xl/workbook.xml':
      '<workbook><workbookPr/><sheets><sheet name="Q3" sheetId="2" r:id="rId2"/><sheet name="Old" state="hidden" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations('worksheets/sheet1.xml', '/xl/worksheets/sheet2.xml'),
    'xl/sharedStrings.xml':
      '<sst><si><t>Name</t></si><si><r><t>To</t></r><r><t>tal</t></r><rPh><t>X</t></rPh></si></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm\\-dd hh:mm"/><numFmt numFmtId="171" formatCode="[Red]0.0&quot;days&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>',
    'xl/worksheets/sheet2.xml': `<worksheet><sheetData>
      <row r="1"><c r="A1" t="s"><v>0</v></c><c r="D1" t="s"><v>1</v></c></row>
      <row r="2"><c r="A2" s="1"><v>46349</v></c><c r="B2" s="2"><v>46349.5</v></c><c r="C2" s="3"><v>1.5</v></c><c r="D2" t="b"><v>1</v></c><c r="E2" t="inlineStr"><is><t>in
line</t></is></c><c r="F2"><f>A1+1</f><v>7</v></c></row></sheetData></worksheet>`,
  });
  t.equal(
    await textOf(xlsx),
    '# Q3\nName\t\t\tTotal\n2026-11-23\t2026-11-23 12:00:00\t1.5\tTRUE\tin line\t7\n\n# Old (hidden)\n1',
  );
});

t.test('workbooks as other programs write them', async (t) => {
  const formats = ['_-* #,##0.00\\ _D_M_-', '00000', 'm"月"d"日"'];
  const codes = formats.map(
    (code, at) => `<numFmt numFmtId="${170 + at}" formatCode="${code.replaceAll('"', '&quot;')}"/>`,
  );
  const styles = [...formats.map((_, at) => 170 + at), 31, 57].map((id) => `<xf numFmtId="${id}"/>`);
  const cells = [1234.5, 12, 46349, 46349, 46349].map((value, at) => `<c s="${at}"><v>${value}</v></c>`);
  const parts = {
    'xl\\workbook.xml': '<workbook><sheets><sheet name="One" r:id="rId1"/></sheets></workbook>',
    'xl\\_rels\\workbook.xml.rels': relations('worksheets/Sheet1.xml'),
    'xl\\worksheets\\sheet1.xml': `<worksheet><sheetData><row>${cells.join('')}</row>
      <row><c t="s"><v>0</v></c><c><f>SUM(A1:B1)</f></c><c t="str"><f>A2&amp;"x"</f><v></v></c></row></sheetData></worksheet>`,
    'SharedStrings.xml': '<sst><si><t>Total</t></si></sst>',
    'xl\\styles.xml': `<styleSheet><numFmts>${codes.join('')}</numFmts><cellXfs>${styles.join('')}</cellXfs></styleSheet>`,
  };
  const dates = '2026-11-23\t2026-11-23\t2026-11-23';
  t.equal(await textOf(zip(parts)), `# One\n1234.5\t00012\t${dates}\nTotal\t=SUM(A1:B1)\t=A2&"x"`);
});

t.test('what a tracked change has moved stands in its new place alone', async (t) => {
  const run = (text: string, properties = '') => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
  const shown = run('now shown', '<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>');
  const docx = zip({
    'word/document.xml': `<w:document><w:p><w:pPr><w:rPr><w:moveFrom/></w:rPr></w:pPr><w:moveFrom>${run('Moved ')}</w:moveFrom>
      ${run('Kept ')}</w:p><w:p><w:moveTo>${run('Moved ')}</w:moveTo>${shown}</w:p></w:document>`,
  });
  t.equal(await textOf(docx), 'Kept\nMoved now shown');
});

t.test('the addresses that links of a document lead to, where their words are others', async (t) => {
  const link = (id: string, ...words: string[]) =>
    `<w:hyperlink r:id="${id}">${words.map((each) => `<w:r><w:t>${each}</w:t></w:r>`).join('')}</w:hyperlink>`;
  const external = (...targets: string[]) => relations(...targets).replaceAll('"/>', '" TargetMode="External"/>');
  const many = link('rId1', 'x').repeat(1_200);
  const docx = zip({
    'word/document.xml': `<w:p>${link('rId1', 'sign ', 'here')}, ${link('rId2', 'https://two.test')}${link('none', ' no')}</w:p><w:p>${many}</w:p>`,
    'word/_rels/document.xml.rels': external('https://one.test/a?b', 'https://two.test'),
  });
  const text = (await textOf(docx)) ?? '';
  t.equal(text.split('\n')[0], 'sign here [https://one.test/a?b]https://two.test no');
  t.equal(text.split('one.test').length - 1, 1_000, 'bounded');
  const pptx = zip({
    'ppt/presentation.xml': '<p><p:sldId id="256" r:id="rId1"/></p>',
    'ppt/_rels/presentation.xml.rels': relations('slides/slide1.xml'),
    'ppt/slides/slide1.xml':
      '<a:p><a:r><a:rPr><a:hlinkClick r:id="rId1"/></a:rPr><a:t>Book</a:t></a:r><a:r><a:t> it</a:t></a:r></a:p>',
    'ppt/slides/_rels/slide1.xml.rels': external('https://one.test'),
  });
  t.equal(await textOf(pptx), '# Slide 1\nBook [https://one.test] it');
});

t.test('signs by which forms are ticked', async (t) => {
  const sign = (char: string) =>
    `<w:p><w:r><w:sym w:font="Wingdings" w:char="${char}"/><w:t> ${char}</w:t></w:r></w:p>`;
  const docx = zip({
    'word/document.xml': `<w:document>${['F0FE', 'F0a8', '2612', 'F04A'].map(sign).join('')}</w:document>`,
  });
  t.equal(await textOf(docx), '☑ F0FE\n☐ F0a8\n☒ 2612\n F04A');
});

t.test('the words of SmartArt graphics', async (t) => {
  const paragraph = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
  const graphic = `<dgm:dataModel><dgm:pt>${paragraph('Plan')}</dgm:pt><dgm:pt>${paragraph('Build')}</dgm:pt></dgm:dataModel>`;
  const pptx = zip({
    'ppt/presentation.xml': '<p><p:sldId id="256" r:id="rId1"/></p>',
    'ppt/_rels/presentation.xml.rels': relations('slides/slide1.xml'),
    'ppt/slides/slide1.xml': paragraph('Steps'),
    'ppt/slides/_rels/slide1.xml.rels': relations('../diagrams/layout1.xml', '../diagrams/data1.xml'),
    'ppt/diagrams/data1.xml': graphic,
    'ppt/diagrams/layout1.xml': paragraph('[Text]'),
  });
  t.equal(await textOf(pptx), '# Slide 1\nSteps\nPlan\nBuild');
  const docx = zip({
    'word/document.xml': '<w:p><w:r><w:t>Steps</w:t></w:r></w:p>',
    'word/diagrams/data1.xml': graphic,
  });
  t.equal(await textOf(docx), 'Steps\n\n# Diagrams\nPlan\nBuild');
});

t.test('presentations: slides in their order, with what is spoken', async (t) => {
  const slide = (text: string) => `<p:sld><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`;
  const pptx = zip({
    'ppt/presentation.xml':
      '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="rId2"/><p:sldId id="257" r:id="rId1"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relations('slides/slide1.xml', 'slides/slide2.xml'),
    'ppt/slides/slide1.xml': slide('Second'),
    'ppt/slides/slide2.xml': slide('First'),
    'ppt/slides/_rels/slide2.xml.rels': relations('../notesSlides/notesSlide1.xml'),
    'ppt/notesSlides/notesSlide1.xml': slide('Smile.'),
  });
  t.equal(await textOf(pptx), '# Slide 1\nFirst\n\nNotes: Smile.\n\n# Slide 2\nSecond');
});

t.test('what is no text is not read, what is long is cut and says so', async (t) => {
  t.equal(await read(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0]), 'image/png'), null);
  t.equal(await read(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0, 0, 1]), 'application/msword'), null);
  t.equal(await read(zip({ 'a.xml': '<a/>' })), null, 'another ZIP');
  t.equal(await read('{\\rtf1 x}', 'application/rtf'), null);
  await t.rejects(read('PK\x03\x04 nothing more'));
  const long = await read('word '.repeat(200_000), 'text/plain');
  t.equal(long?.isCut, true);
  t.ok((long?.text.length ?? 0) <= 500_000);
  t.equal((await read('short', 'text/plain'))?.isCut, false);
  const bomb = zipSync({ 'word/document.xml': new Uint8Array(80 * 1024 * 1024) });
  t.ok(bomb.length < 200_000);
  await t.rejects(read(bomb), /too large/);
  // A size that the package states too small.
  const lying = Buffer.from(zipSync({ 'word/document.xml': strToU8(`<w:p><w:r><w:t>${'x'.repeat(1e6)}`) }));
  const directory = lying.indexOf('PK\x01\x02');
  lying.writeUInt32LE(10, directory + 24);
  const outcome = await read(lying).catch(() => null);
  t.ok((outcome?.text.length ?? 0) <= 10);
});

t.test('what is small and reads as much is bounded', async (t) => {
  const string = 'ü'.repeat(8 * 1024 * 1024);
  const sheet = `<sheetData><row>${'<c t="s"><v>0</v></c>'.repeat(400)}</row></sheetData>`;
  const workbook = zip({
    'xl/workbook.xml': '<workbook><sheets><sheet name="One" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="r1" Target="sheet.xml"/></Relationships>',
    'xl/sheet.xml': sheet,
    'xl/sharedStrings.xml': `<sst><si><t>${string}</t></si></sst>`,
  });
  const read1 = await read(workbook);
  t.ok(read1 && read1.text.length <= 500_000, 'one string that every cell names');

  const stored = Buffer.from(zipSync({ 'n0.xml': [new Uint8Array(100_000), { level: 0 }] }));
  const central = stored.indexOf('PK\x01\x02');
  const end = stored.lastIndexOf('PK\x05\x06');
  const entry = stored.subarray(central, end);
  const tail = Buffer.from(stored.subarray(end));
  tail.writeUInt16LE(50, 8);
  tail.writeUInt16LE(50, 10);
  tail.writeUInt32LE(entry.length * 50, 12);
  const overlapping = Buffer.concat([stored.subarray(0, central), ...Array.from({ length: 50 }, () => entry), tail]);
  await t.rejects(read(overlapping), /overlap/, 'entries that share their octets');

  const deep = zip({ 'word/document.xml': '<w:p>'.repeat(300_000) });
  await t.rejects(read(deep), /too deep/);

  const slides = zip({
    'ppt/presentation.xml': `<p><sldIdLst>${'<sldId r:id="r1"/>'.repeat(50_000)}</sldIdLst></p>`,
    'ppt/_rels/presentation.xml.rels':
      '<Relationships><Relationship Id="r1" Target="slides/slide1.xml"/></Relationships>',
    'ppt/slides/slide1.xml': `<a:p><a:r><a:t>${'x'.repeat(100_000)}</a:t></a:r></a:p>`,
  });
  const shown = await read(slides);
  t.ok(shown && shown.text.length <= 500_000, 'one slide that is shown again and again');
});
