/** The lines of a template, without their indent and the empty ones: a table of texts for a test. */
export const linesOf = ({ raw: [text = ''] }: TemplateStringsArray): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
