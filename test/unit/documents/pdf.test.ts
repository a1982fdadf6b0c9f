import t from 'tap';
import { readPdf } from '../../../src/documents/pdf.ts';

/** A PDF with these pages, each of text operators. */
const pdfOf = (pages: readonly string[], font: readonly string[], more = ''): Buffer => {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${pages.map((_, at) => `${10 + 2 * at} 0 R`).join(' ')}]/Count ${pages.length}>>`,
    ...font,
  ].map((object, at) => `${at + 1} 0 obj${object}endobj`);
  for (const [at, shown] of pages.entries()) {
    const content = `BT /F 9 Tf ${shown} ET`;
    const page = '/MediaBox[0 0 99 99]/Resources<</Font<</F 3 0 R>>>>';
    objects.push(`${10 + 2 * at} 0 obj<</Type/Page/Parent 2 0 R${page}${more}/Contents ${11 + 2 * at} 0 R>>endobj`);
    objects.push(`${11 + 2 * at} 0 obj<</Length ${content.length}>>stream\n${content}\nendstream endobj`);
  }
  return Buffer.from(`%PDF-1.4\n${objects.join('\n')}\ntrailer<</Root 1 0 R>>`);
};

t.test('fonts of East Asia that the file does not embed', async (t) => {
  const fontOf = (encoding: string, ordering: string) => [
    `<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/${encoding}/DescendantFonts[4 0 R]>>`,
    `<</Type/Font/Subtype/CIDFontType0/BaseFont/Any/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>/FontDescriptor 5 0 R>>`,
    '<</Type/FontDescriptor/FontName/Any/Flags 4/FontBBox[0 0 9 9]/ItalicAngle 0/Ascent 9/Descent 0/CapHeight 9/StemV 9>>',
  ];
  const japanese = await readPdf(pdfOf(['<90bf8b818f91> Tj'], fontOf('90ms-RKSJ-H', 'Japan1')));
  t.equal(japanese.text, '請求書');
  const chinese = await readPdf(pdfOf(['<53d17968> Tj'], fontOf('UniGB-UCS2-H', 'GB1')));
  t.equal(chinese.text, '发票');
});

t.test('a long document is read as far as its 400th page', async (t) => {
  const pages = Array.from({ length: 402 }, (_, at) => `(Page ${at + 1}) Tj`);
  const helvetica = ['<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'];
  const read = await readPdf(pdfOf(pages, helvetica));
  t.match(read.text, /^Page 1\n\nPage 2\n.*\nPage 400$/s);
  t.equal(read.isCut, true);
  t.equal((await readPdf(pdfOf(pages.slice(0, 2), helvetica))).isCut, false);
});

t.test('rows of a table stay lines, with tabs between their columns', async (t) => {
  const helvetica = ['<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'];
  const at = (x: number, y: number, text: string) => `1 0 0 1 ${x} ${y} Tm (${text}) Tj`;
  const rows = [at(5, 80, 'Item one'), at(60, 80, '2'), at(80, 80, '9.50'), at(5, 60, 'Item two, inter-')];
  const { text } = await readPdf(pdfOf([[...rows, at(5, 48, 'national'), at(80, 48, '7')].join(' ')], helvetica));
  t.equal(text, 'Item one\t2\t9.50\nItem two, international\t7');
});

t.test('what is filled into a form or typed onto a page, and comments', async (t) => {
  const annotation = (subtype: string, rest: string) => `<</Type/Annot/Subtype/${subtype}/Rect[0 0 9 9]${rest}>>`;
  const read = await readPdf(
    pdfOf(
      ['(Name:) Tj'],
      [
        '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
        annotation('Widget', '/FT/Tx/T(name)/TU(Full name)/DA(/Helv 9 Tf 0 g)/V(Ann M\\374ller)'),
        annotation('Widget', '/FT/Tx/T(empty)/V()'),
        annotation('Widget', '/FT/Tx/T(secret)/V(hidden)/F 2'),
        annotation('Widget', '/FT/Ch/T(plan)/DA(/Helv 9 Tf 0 g)/Opt[(Pro)(Max)(Free)]/V[(Pro)(Max)]'),
        annotation('FreeText', '/Contents(Typed on 12 May)/DA(0 g)'),
        annotation('Text', '/Contents(Please check)'),
      ],
      '/Annots[4 0 R 5 0 R 6 0 R 7 0 R 8 0 R 9 0 R]',
    ),
  );
  t.equal(read.text, 'Name:\nTyped on 12 May\nComment: Please check\nFull name: Ann Müller\nplan: Pro, Max');
});
