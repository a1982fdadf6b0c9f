/** Scripts that break out of where a text is put; each sets `ran` on the window. */
export const BREAK_OUT = [
  `"><img src=x onerror=window.ran=1>`,
  `'><svg onload=window.ran=1>`,
  `javascript:window.ran=1`,
  `{{constructor.constructor('window.ran=1')()}}`,
  `</script><script>window.ran=1</script>`,
];

/** A PDF of one page and a cross-reference table that readers repair. */
export const pdfOf = (content: string): string => `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length ${content.length}>>stream
${content}
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>`;
