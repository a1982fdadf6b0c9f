/** The forms in which HTML holds a secret. */

import t from 'tap';
import { htmlPieces } from '../../../src/workers/find-leak.ts';

const HOLDING: Record<string, string> = {
  text: '<p>SEC<b>RET</b></p>',
  'an attribute': '<p title="SEC&#82;ET">x</p>',
  'a CDATA section in a drawing': '<svg><text><![CDATA[SECRET]]></text></svg>',
  'a comment': '<!--[if mso]><p>SECRET</p><![endif]-->',
  'a style': '<style>p::after{content:"SECRET"}</style>',
};

t.test('a secret is found in each', async (t) => {
  for (const [name, html] of Object.entries(HOLDING)) {
    const pieces = htmlPieces(html, 'html');
    t.ok(
      pieces.some(({ content }) => String(content).includes('SECRET')),
      name,
    );
  }
  t.notOk(htmlPieces('<p>x</p><!-- y -->', 'html').some(({ content }) => String(content).includes('SECRET')));
});
